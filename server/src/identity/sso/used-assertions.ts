import { createHash } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { SAML_USED_ASSERTIONS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { parseRecord, vaultRecord, type VaultReader, type VaultWrite } from '../vault.ts';

const PREFIX = 'saml-assertion/';

/** An assertion that was accepted; kept until it would not be accepted any more by its age. */
interface UsedAssertion {
  /** Milliseconds since the Unix epoch. */
  readonly endsAt: number;
}

/** Every assertion is accepted once, also across a restart (SAML 2.0 Profiles, section 4.1.4.5). */
export class UsedAssertions {
  readonly #vault: VaultReader;
  readonly #clock: Clock;
  /** Accepted, and perhaps not yet in the vault. */
  readonly #accepting = new Set<string>();

  constructor(vault: VaultReader, clock: Clock) {
    this.#vault = vault;
    this.#clock = clock;
  }

  /**
   * Accepts the assertion, or answers undefined when it was accepted before. The records must be
   * committed with what it does; then, or when that fails, `settle` ends the claim.
   */
  claim(issuer: string, assertionId: string, endsAt: number): AssertionClaim | undefined {
    const key = keyOf(issuer, assertionId);
    if (this.#accepting.has(key) || this.#vault.get(key) !== undefined) return undefined;
    const kept = this.#vault.list(PREFIX);
    const now = this.#clock.now();
    const ended = kept.filter(
      ({ key: old, value }) => parseRecord(old, value, isUsed).endsAt <= now,
    );
    if (kept.length - ended.length >= SAML_USED_ASSERTIONS_MAX) {
      throw new Problem('too_many_requests', 'Too many people sign in with SAML at the moment.');
    }
    this.#accepting.add(key);
    return {
      records: [
        ...ended.map(({ key: old }) => ({ key: old, value: null })),
        vaultRecord(key, { endsAt } satisfies UsedAssertion),
      ],
      settle: () => void this.#accepting.delete(key),
    };
  }
}

export interface AssertionClaim {
  readonly records: readonly VaultWrite[];
  settle(): void;
}

function keyOf(issuer: string, assertionId: string): string {
  const hash = createHash('sha256').update(JSON.stringify([issuer, assertionId]));
  return PREFIX + hash.digest('base64url');
}

function isUsed(record: { readonly endsAt?: unknown }): record is UsedAssertion {
  return typeof record.endsAt === 'number';
}
