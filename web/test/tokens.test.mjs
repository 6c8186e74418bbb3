// One-time tokens against an issuer and a verifier that share no code with them: the RSA of Node's OpenSSL.
import assert from "node:assert/strict";
import { constants, generateKeyPairSync, privateDecrypt, verify } from "node:crypto";
import { test } from "node:test";

import { requestToken } from "../dist/tokens.js";

const issuer = (bits) => generateKeyPairSync("rsa", { modulusLength: bits });
const text = (key) => key.export({ type: "spki", format: "der" }).toString("base64url");
/** The private operation without padding: what an issuer does with a blinded token. */
const sign = (key, blinded) => privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, Buffer.from(blinded, "base64url")).toString("base64url");

function isToken(publicKey, token) {
  const all = Buffer.from(token, "base64url");
  const message = Buffer.concat([Buffer.from("shoal token 1:"), all.subarray(0, 32)]);
  return verify("sha384", message, { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 48 }, all.subarray(32));
}

test("a token that was signed blindly passes as one of the issuer's", async () => {
  for (const bits of [2048, 2056]) {
    const { publicKey, privateKey } = issuer(bits);
    const seen = new Set();
    for (let i = 0; i < 3; i += 1) {
      const request = await requestToken(text(publicKey));
      const token = request.finish(sign(privateKey, request.blinded));
      assert.ok(isToken(publicKey, token), `${bits} bits`);
      // The issuer sees nothing of the token.
      const nonce = Buffer.from(token, "base64url").subarray(0, 32);
      assert.ok(!Buffer.from(request.blinded, "base64url").includes(nonce.subarray(0, 8)));
      seen.add(token).add(request.blinded);
    }
    assert.equal(seen.size, 6);
  }
});

test("signatures by others and keys that make no sense are refused", async () => {
  const [one, other] = [issuer(2048), issuer(2048)];
  const request = await requestToken(text(one.publicKey));
  assert.throws(() => request.finish(sign(other.privateKey, request.blinded.replace(/^./, "A"))), /does not fit/);
  assert.throws(() => request.finish("%%"), /base64url/);
  for (const key of ["", "AAAA", text(one.publicKey).slice(0, 200), text(issuer(1024).publicKey)]) await assert.rejects(requestToken(key), Error);
});
