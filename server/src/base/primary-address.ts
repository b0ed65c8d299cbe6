import { Problem } from './problem.ts';

/**
 * Where the primary is, for a server that is none: its URL without a final slash. It changes when
 * another member takes over; undefined while nobody has.
 */
export type PrimaryAddress = () => string | undefined;

/** Throws `no_primary` while there is none. */
export function requirePrimary(address: PrimaryAddress): string {
  const url = address();
  if (url === undefined) throw noPrimary();
  return url;
}

export function noPrimary(): Problem {
  return new Problem('no_primary', 'no member of this workspace is the primary at the moment', {
    hint: 'Try again in a second: another member takes over.',
  });
}
