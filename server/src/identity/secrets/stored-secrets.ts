import { TextSeal } from '#base/text-seal.ts';
import { parseRecord, type VaultReader, vaultRecord, type VaultWrite } from '../vault.ts';

const PREFIX = 'endpoint-secret/';

/** What an administrator says of a secret, beside its value. */
export interface SecretRules {
  readonly hosts: readonly string[];
  /** Null for the code of all endpoints. */
  readonly endpoints: readonly string[] | null;
}

export interface StoredSecret extends SecretRules {
  readonly name: string;
  readonly sealed: string;
  readonly changedMs: number;
  /** UID of a user. */
  readonly changedBy: string | null;
}

/**
 * The secrets of endpoints, in the vault. Their values are sealed once more, also where the state
 * is encrypted: by a key that is made of the one that signs tokens. That is not in the state, in
 * the log or in a backup without encryption, so none of them tells a value; and replicas have it.
 * The rules are sealed with the value: one that is put under other rules is not opened.
 */
export class StoredSecrets {
  readonly #vault: VaultReader;
  readonly #seal: TextSeal;

  constructor(vault: VaultReader, signingKey: string) {
    this.#vault = vault;
    this.#seal = TextSeal.for('trellis endpoint secrets', signingKey);
  }

  find(name: string): StoredSecret | undefined {
    const key = PREFIX + name;
    const value = this.#vault.get(key);
    return value && parseRecord(key, value, isStoredSecret);
  }

  /** By name. */
  all(): StoredSecret[] {
    return this.#vault
      .list(PREFIX)
      .map(({ key, value }) => parseRecord(key, value, isStoredSecret));
  }

  /** Undefined when it was sealed with another key, or under other rules. */
  valueOf(secret: StoredSecret): string | undefined {
    return this.#seal.open(secret.sealed, contextOf(secret))?.text;
  }

  write(value: string, secret: Omit<StoredSecret, 'sealed'>): VaultWrite {
    const sealed = this.#seal.seal(value, contextOf(secret));
    return vaultRecord(PREFIX + secret.name, { ...secret, sealed });
  }

  remove(name: string): VaultWrite {
    return { key: PREFIX + name, value: null };
  }
}

function contextOf({ name, hosts, endpoints }: Omit<StoredSecret, 'sealed'>): string {
  return JSON.stringify([name, hosts, endpoints]);
}

function isStoredSecret(
  record: Partial<Record<keyof StoredSecret, unknown>>,
): record is StoredSecret {
  return (
    typeof record.name === 'string' &&
    typeof record.sealed === 'string' &&
    Array.isArray(record.hosts) &&
    (record.endpoints === null || Array.isArray(record.endpoints)) &&
    typeof record.changedMs === 'number' &&
    (record.changedBy === null || typeof record.changedBy === 'string')
  );
}
