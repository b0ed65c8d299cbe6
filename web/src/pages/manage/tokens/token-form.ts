import type { UseFormReturn } from 'react-hook-form';
import type { Scope } from '@trellis/contract/rights.ts';
import type { NewToken } from '@trellis/contract/shapes/token.ts';
import type { TokenVariant } from './token-variants.ts';

export interface TokenFormValues {
  name: string;
  scopes: Scope[];
  path: string;
  /** The UID of one user, or none. */
  actingUser: readonly string[];
  /** Days from now, "never", or "at" for a moment of one's own. */
  expires: string;
  /** As the browser writes a moment in its own time zone. */
  expiresAt: string;
}

export type TokenForm = UseFormReturn<TokenFormValues>;

const DAY_MS = 86_400_000;

/** What a kind does not carry is left out: the server refuses it. */
export function newTokenOf(
  variant: TokenVariant,
  values: TokenFormValues,
  nowMs: number,
): NewToken {
  const [actingUser] = values.actingUser;
  const expiresAt = expiryOf(values, nowMs);
  return {
    kind: variant.kind,
    name: values.name,
    ...(variant.scopes !== undefined && { scopes: values.scopes }),
    ...(variant.hasPath === true && { path: values.path.trim() }),
    ...(variant.actingUser !== undefined && actingUser !== undefined && { actingUser }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function expiryOf({ expires, expiresAt }: TokenFormValues, nowMs: number): string | undefined {
  if (expires === 'never') return undefined;
  const ms = expires === 'at' ? Date.parse(expiresAt) : nowMs + Number(expires) * DAY_MS;
  return new Date(ms).toISOString();
}
