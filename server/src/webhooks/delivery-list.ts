import { WEBHOOK_DELIVERIES_MAX, WEBHOOK_DELIVERY_AGE_MS_MAX } from '#base/webhook-limits.ts';
import type { WebhookDelivery } from '@trellis/contract/shapes/webhook.ts';
import type { WebhookOutcome } from './webhook-requests.ts';

/** What one attempt is of. */
export type Attempted = Pick<WebhookDelivery, 'id' | 'type' | 'sequence' | 'part' | 'changes'>;

/** The last deliveries of a webhook, the newest first. */
export class DeliveryList {
  #items: WebhookDelivery[];

  constructor(items: readonly WebhookDelivery[]) {
    this.#items = [...items];
  }

  /** Those that are not too old. */
  items(nowMs: number): readonly WebhookDelivery[] {
    const since = nowMs - WEBHOOK_DELIVERY_AGE_MS_MAX;
    return this.#items.filter(({ lastAttemptAt }) => Date.parse(lastAttemptAt) >= since);
  }

  get lastDeliveredAt(): string | null {
    return this.#items.find(({ status }) => status === 'delivered')?.lastAttemptAt ?? null;
  }

  /** Adds what came of an attempt; further ones of a delivery that fails change its entry. */
  note(
    attempted: Attempted,
    { response, error, durationMs }: WebhookOutcome,
    at: { readonly nowMs: number; readonly status: WebhookDelivery['status'] },
  ): WebhookDelivery {
    const lastAttemptAt = new Date(at.nowMs).toISOString();
    const before = this.#items.findIndex(
      ({ id, status }) => id === attempted.id && status !== 'delivered',
    );
    const [earlier] = before < 0 ? [] : this.#items.splice(before, 1);
    const delivery: WebhookDelivery = {
      ...attempted,
      status: at.status,
      attempts: (earlier?.attempts ?? 0) + 1,
      firstAttemptAt: earlier?.firstAttemptAt ?? lastAttemptAt,
      lastAttemptAt,
      durationMs,
      response,
      error,
    };
    this.#items.unshift(delivery);
    this.#items.length = Math.min(this.#items.length, WEBHOOK_DELIVERIES_MAX);
    return delivery;
  }
}
