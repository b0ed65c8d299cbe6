import { createVerifier } from 'fast-jwt';

/**
 * Verification by the library alone, to measure ours against: signature and expiry, and no more.
 */
export function libraryVerifier(
  key: string,
  cachedTokens: number | false,
): (token: string) => unknown {
  return createVerifier({ key, algorithms: ['HS256'], cache: cachedTokens });
}
