/** A token in the making: blinded, and not signed yet. */
export interface TokenRequest {
  /** What the issuer is asked to sign. It says nothing about the token. */
  readonly blinded: string;
  /** The token, with the issuer's answer: the text for the header `shoal-token`. Throws if the signature does not fit. */
  finish(signature: string): string;
}

/** Makes a one-time token and blinds it. `key` is the field `token_key` of a collection. */
export function requestToken(key: string): Promise<TokenRequest>;
