import { originOf } from '@trellis/contract/origins.ts';
import type { ConnectorSource } from '@trellis/contract/shapes/connector.ts';
import { Problem } from '#base/problem.ts';
import { TextSeal } from '#base/text-seal.ts';
import { parseRecord, type VaultReader, vaultRecord, type VaultWrite } from '#identity/vault.ts';

interface Described {
  readonly source: ConnectorSource;
}

const PREFIX = 'connector-secret/';

/**
 * Passwords and tokens of connectors, in the vault: sealed once more, by a key that is made of the
 * one that signs tokens, as those of webhooks are.
 */
export class ConnectorSecrets {
  readonly #vault: Pick<VaultReader, 'get'>;
  readonly #seal: TextSeal;

  constructor(vault: Pick<VaultReader, 'get'>, seal: TextSeal) {
    this.#vault = vault;
    this.#seal = seal;
  }

  static for(vault: VaultReader, signingKey: string): ConnectorSecrets {
    return new ConnectorSecrets(vault, TextSeal.for('trellis connector secrets', signingKey));
  }

  /** As they will be once the commit is made that the records are a part of. */
  over(staged: () => readonly VaultWrite[]): ConnectorSecrets {
    const get = (key: string): Uint8Array | undefined => {
      const written = staged().findLast((one) => one.key === key);
      if (written === undefined) return this.#vault.get(key);
      return written.value === null ? undefined : Buffer.from(written.value, 'base64');
    };
    return new ConnectorSecrets({ get }, this.#seal);
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

/**
 * A secret does not go along to another server, nor unencrypted where it was encrypted: whoever
 * changes that knows it. Throws `invalid_request`.
 */
export function requireKeepable(
  before: Described & { readonly id: string },
  { source, secret }: Described & { readonly secret?: string | null | undefined },
  secrets: Pick<ConnectorSecrets, 'has'>,
): void {
  if (secret !== undefined || !secrets.has(before.id)) return;
  if (mayKeep(before.source, source)) return;
  const message = isSameServer(before.source, source)
    ? 'has to be given again to be sent unencrypted, or null for none'
    : 'has to be given again for another server, or null for none';
  throw new Problem('invalid_request', `body, secret: ${message}`, {
    details: { fields: [{ path: 'secret', message }] },
  });
}

/** Whether the secret of a source may be sent where the other one is. */
export function mayKeep(before: ConnectorSource, after: ConnectorSource): boolean {
  return isSameServer(before, after) && (isEncrypted(after) || !isEncrypted(before));
}

function isSameServer(before: ConnectorSource, after: ConnectorSource): boolean {
  return before.kind === after.kind && originOf(before.url) === originOf(after.url);
}

function isEncrypted(source: ConnectorSource): boolean {
  const isByTls = ['https:', 'imaps:', 'ldaps:'].includes(new URL(source.url).protocol);
  return isByTls || ('tls' in source && source.tls);
}

function isSealed(record: { readonly sealed?: unknown }): record is { readonly sealed: string } {
  return typeof record.sealed === 'string';
}
