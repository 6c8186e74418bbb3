// One-time tokens: made and blinded here, signed by an issuer who cannot link them to reports (RFC 9474,
// RSABSSA-SHA384-PSS-Deterministic), and sent with a report in the header `shoal-token`.

const PREFIX = new TextEncoder().encode("shoal token 1:");
const NONCE = 32;
const HASH = 48;

const hash = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-384", joined(parts)));
const random = (count) => crypto.getRandomValues(new Uint8Array(count));

function joined(parts) {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

function number(bytes) {
  let hex = "0x0";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return BigInt(hex);
}

function bytes(value, length) {
  const hex = value.toString(16).padStart(2 * length, "0");
  return Uint8Array.from({ length }, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

function toText(given) {
  return btoa(String.fromCharCode(...given)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromText(text) {
  if (!/^[A-Za-z0-9_-]{1,2000}$/.test(text)) throw new Error("this is not base64url as keys and signatures are sent");
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

function power(base, exponent, modulus) {
  let result = 1n;
  for (base %= modulus; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % modulus;
    base = (base * base) % modulus;
  }
  return result;
}

/** The inverse, or nothing where there is none. */
function inverse(value, modulus) {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n];
  while (b > 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
  return a === 1n ? ((x % modulus) + modulus) % modulus : undefined;
}

/** Modulus and exponent of an RSA key: its DER form ends with both, as integers. */
function readKey(text) {
  const der = fromText(text);
  let at = 0;
  const header = (tag) => {
    if (der[at] !== tag) throw new Error("this is not an RSA key as the collector publishes it");
    let length = der[at + 1];
    at += 2;
    if (length > 127) {
      const more = length - 128;
      length = Number(number(der.subarray(at, at + more)));
      at += more;
    }
    if (!(at + length <= der.length)) throw new Error("this key is cut off");
    return length;
  };
  const integer = () => {
    const length = header(0x02);
    at += length;
    return number(der.subarray(at - length, at));
  };
  header(0x30);
  const algorithm = header(0x30);
  at += algorithm;
  header(0x03);
  at += 1;
  header(0x30);
  const [n, e] = [integer(), integer()];
  const bits = n.toString(2).length;
  if (bits < 2048 || bits > 4096 || (e !== 3n && e !== 65537n)) throw new Error("the key has a size or an exponent that is not supported");
  return { n, e, bits, size: Math.ceil(bits / 8) };
}

async function mask(seed, length) {
  const parts = [];
  for (let counter = 0; counter * HASH < length; counter += 1) parts.push(await hash(seed, bytes(BigInt(counter), 4)));
  return joined(parts).subarray(0, length);
}

/** EMSA-PSS of RFC 8017 with SHA-384 and a salt as long as the hash. */
async function pss(message, salt, bits) {
  const size = Math.ceil(bits / 8);
  const h = await hash(new Uint8Array(8), await hash(message), salt);
  const block = joined([new Uint8Array(size - salt.length - HASH - 2), [1], salt]);
  const hidden = (await mask(h, block.length)).map((byte, i) => byte ^ block[i]);
  hidden[0] &= 0xff >> (8 * size - bits);
  return joined([hidden, h, [0xbc]]);
}

/**
 * Makes a token and blinds it. `key` is the collection's `token_key`. Send `blinded` to the issuer, who knows the person's account
 * and signs once for each answer; `finish(signature)` is the text for the header `shoal-token`. Wait between fetching a token
 * and spending it: who sees both moments could link them.
 */
export async function requestToken(key) {
  const { n, e, bits, size } = readKey(key);
  const nonce = random(NONCE);
  const encoded = number(await pss(joined([PREFIX, nonce]), random(HASH), bits - 1));
  let [factor, unblind] = [0n];
  while (unblind === undefined) {
    // Uniform below n: what is not is drawn again.
    factor = number(random(size)) & ((1n << BigInt(bits)) - 1n);
    unblind = factor > 0n && factor < n ? inverse(factor, n) : undefined;
  }
  return {
    blinded: toText(bytes((encoded * power(factor, e, n)) % n, size)),
    finish(signature) {
      const signed = (number(fromText(signature)) * unblind) % n;
      if (power(signed, e, n) !== encoded) throw new Error("the issuer's signature does not fit; check that it uses this collection's key");
      return toText(joined([nonce, bytes(signed, size)]));
    },
  };
}
