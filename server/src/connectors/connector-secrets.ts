import { Problem } from '#base/problem.ts';
import { TextSeal } from '#base/text-seal.ts';
import { parseRecord, type VaultReader, vaultRecord, type VaultWrite } from '#identity/vault.ts';

const PREFIX = 'connector-secret/';

/**
 * Passwords and tokens of connectors, in the vault: sealed once more, by a key that is made of the
 * one that signs tokens, as those of webhooks are.
 */
export class ConnectorSecrets {
  readonly #vault: VaultReader;
  readonly #seal: TextSeal;

  constructor(vault: VaultReader, signingKey: string) {
    this.#vault = vault;
    this.#seal = TextSeal.for('trellis connector secrets', signingKey);
  }

  has(connector: string): boolean {
    return this.#vault.get(PREFIX + connector) !== undefined;
  }

  write(connector: string, secret: string): VaultWrite {
    return vaultRecord(PREFIX + connector, { sealed: this.#seal.seal(secret, connector) });
  }

  remove(connector: string): VaultWrite {
    return { key: PREFIX + connector, value: null };
  }

  /** Null where there is none. Throws `connector_failed` when it was sealed with another key. */
  read(connector: string): string | null {
    const key = PREFIX + connector;
    const value = this.#vault.get(key);
    if (value === undefined) return null;
    const { sealed } = parseRecord(key, value, isSealed);
    const opened = this.#seal.open(sealed, connector);
    if (opened !== undefined) return opened.text;
    throw new Problem(
      'connector_failed',
      'Its secret cannot be opened, since the key that signs tokens is another one',
      { hint: 'Give the password or token of the source again.' },
    );
  }
}

function isSealed(record: { readonly sealed?: unknown }): record is { readonly sealed: string } {
  return typeof record.sealed === 'string';
}
