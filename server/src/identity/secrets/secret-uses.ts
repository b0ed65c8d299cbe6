import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import { SECRET_USE_EVENT_INTERVAL_MS, SECRET_USES_COUNTED_MAX } from '#base/limits.ts';
import { targetOf } from './secret-service.ts';

export interface SecretUse {
  readonly secret: string;
  /** Name of the endpoint whose code sends it. */
  readonly endpoint: string;
  readonly host: string;
  readonly caller: Caller;
}

interface Counted {
  readonly use: SecretUse;
  readonly sinceMs: number;
  /** Beside the one that began it. */
  further: number;
}

/**
 * Uses of secrets for the audit. The first one of a secret by an endpoint for a host is an event at
 * once; those of the hour after it are one more event together, with their number. So every use is
 * told of, and a busy endpoint pushes no other events out.
 */
export class SecretUses {
  readonly #audit: AuditTrail;
  readonly #clock: Clock;
  readonly #counted = new Map<string, Counted>();

  constructor({ audit, clock }: { readonly audit: AuditTrail; readonly clock: Clock }) {
    this.#audit = audit;
    this.#clock = clock;
  }

  note(use: SecretUse): void {
    const key = JSON.stringify([use.secret, use.endpoint, use.host]);
    const nowMs = this.#clock.now();
    const counted = this.#counted.get(key);
    if (counted !== undefined && nowMs < counted.sinceMs + SECRET_USE_EVENT_INTERVAL_MS) {
      counted.further++;
      return;
    }
    if (counted !== undefined) this.#end(key, counted);
    const [oldest] = this.#counted;
    if (oldest !== undefined && this.#counted.size >= SECRET_USES_COUNTED_MAX) this.#end(...oldest);
    this.#counted.set(key, { use, sinceMs: nowMs, further: 0 });
    this.#record(use, 1);
  }

  /** Tells of those whose hour is over; of all at the end. */
  flush(isEnd = false): void {
    const endMs = this.#clock.now() - SECRET_USE_EVENT_INTERVAL_MS;
    for (const [key, counted] of this.#counted) {
      if (isEnd || counted.sinceMs <= endMs) this.#end(key, counted);
    }
  }

  #end(key: string, { use, further }: Counted): void {
    this.#counted.delete(key);
    if (further > 0) this.#record(use, further);
  }

  #record({ secret, endpoint, host, caller }: SecretUse, uses: number): void {
    const details = { endpoint, host, uses };
    this.#audit.record(deed('secret.used', { caller, address: null }, targetOf(secret), details));
  }
}
