// Writes tokens.json: one-time tokens as a page makes them (web/src/tokens.js), signed blindly by OpenSSL's RSA. Each run makes new
// keys and tokens; private keys are thrown away. node vectors/tokens.mjs > vectors/tokens.json
import { constants, generateKeyPairSync, privateDecrypt } from "node:crypto";

import { requestToken } from "../web/src/tokens.js";

const issuers = [];
for (const bits of [2048, 2048, 3072]) {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: bits });
  const key = publicKey.export({ type: "spki", format: "der" }).toString("base64url");
  const tokens = [];
  for (let i = 0; i < 3; i += 1) {
    const request = await requestToken(key);
    const blinded = Buffer.from(request.blinded, "base64url");
    const signed = privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, blinded);
    tokens.push(request.finish(signed.toString("base64url")));
  }
  issuers.push({ bits, key, tokens });
}
console.log(JSON.stringify({ about: "tokens.mjs made these", issuers }, null, 1));
