import { createHmac, randomBytes } from 'node:crypto';
import { TextSeal } from '#base/text-seal.ts';
import { WEBHOOK_SECRET_OVERLAP_MS } from '#base/webhook-limits.ts';
import { parseRecord, type VaultReader, vaultRecord, type VaultWrite } from '#identity/vault.ts';

const PREFIX = 'webhook-secret/';
const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

interface StoredSecret {
  readonly sealed: string;
  /** The one before, which signs too until `untilMs`. */
  readonly before: { readonly sealed: string; readonly untilMs: number } | null;
}

/** What a delivery is signed as. */
export interface SignedMessage {
  /** The header `webhook-id`. */
  readonly id: string;
  /** The header `webhook-timestamp`: seconds since the Unix epoch. */
  readonly seconds: number;
  readonly body: string;
}

/**
 * The secrets of webhooks, in the vault: sealed once more, by a key that is made of the one that
 * signs tokens, as those of endpoints are. Deliveries are signed as Standard Webhooks has it.
 */
export class WebhookSecrets {
  readonly #vault: VaultReader;
  readonly #seal: TextSeal;

  constructor(vault: VaultReader, signingKey: string) {
    this.#vault = vault;
    this.#seal = TextSeal.for('trellis webhook secrets', signingKey);
  }

  /** A new secret, to be shown once, and what is kept of it. */
  make(webhook: string): { readonly secret: string; readonly write: VaultWrite } {
    return this.#make(webhook, null);
  }

  /** A new secret; the present one goes on signing for a while. */
  rotate(webhook: string, nowMs: number): ReturnType<WebhookSecrets['make']> {
    const { sealed } = this.#find(webhook) ?? {};
    const untilMs = nowMs + WEBHOOK_SECRET_OVERLAP_MS;
    return this.#make(webhook, sealed === undefined ? null : { sealed, untilMs });
  }

  remove(webhook: string): VaultWrite {
    return { key: PREFIX + webhook, value: null };
  }

  /**
   * The header `webhook-signature`; undefined when the secret cannot be opened, since it was sealed
   * with another key.
   */
  sign(webhook: string, message: SignedMessage, nowMs: number): string | undefined {
    const { sealed, before = null } = this.#find(webhook) ?? {};
    const secret = sealed === undefined ? undefined : this.#seal.open(sealed, webhook)?.text;
    if (secret === undefined) return undefined;
    const secrets = [secret];
    if (before !== null && before.untilMs > nowMs) {
      const older = this.#seal.open(before.sealed, webhook)?.text;
      if (older !== undefined) secrets.push(older);
    }
    return secrets.map((each) => `v1,${signatureOf(each, message)}`).join(' ');
  }

  #make(webhook: string, before: StoredSecret['before']): ReturnType<WebhookSecrets['make']> {
    const secret = SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
    const sealed = this.#seal.seal(secret, webhook);
    return { secret, write: vaultRecord(PREFIX + webhook, { sealed, before }) };
  }

  #find(webhook: string): StoredSecret | undefined {
    const key = PREFIX + webhook;
    const value = this.#vault.get(key);
    return value && parseRecord(key, value, isStoredSecret);
  }
}

function signatureOf(secret: string, { id, seconds, body }: SignedMessage): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
}

function isStoredSecret(
  record: Partial<Record<keyof StoredSecret, unknown>>,
): record is StoredSecret {
  return (
    typeof record.sealed === 'string' &&
    (record.before === null || typeof record.before === 'object')
  );
}
