/** Before the key of an environment whose values are sealed, in base64url; that of LMDB's encryption has none of these characters. */
const SEALED_PREFIX = 'values:';

/** As it is handed to whoever opens the environment. */
export function sealedKeyText(rootKey: Buffer): string {
  return SEALED_PREFIX + rootKey.toString('base64url');
}

/** Undefined when it is of an environment that LMDB encrypts. */
export function sealedRootKey(text: string): Uint8Array | undefined {
  if (!text.startsWith(SEALED_PREFIX)) return undefined;
  return Buffer.from(text.slice(SEALED_PREFIX.length), 'base64url');
}
