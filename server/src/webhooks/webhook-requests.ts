import type { Clock } from '#base/clock.ts';
import { allowedAddress, type Fetch, fetchFault } from '#base/outbound.ts';
import { Problem } from '#base/problem.ts';
import {
  WEBHOOK_ANSWER_BYTES_MAX,
  WEBHOOK_ANSWER_CHARACTERS_MAX,
  WEBHOOK_TIMEOUT_MS,
} from '#base/webhook-limits.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

export interface WebhookRequestParts {
  readonly fetch: Fetch;
  readonly allowList: () => readonly string[];
  readonly secrets: Pick<WebhookSecrets, 'sign'>;
  readonly clock: Clock;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Told how long each request took, in seconds. */
  readonly onSent: (outcome: 'delivered' | 'failed', seconds: number) => void;
}

export interface WebhookMessage {
  readonly webhook: string;
  readonly url: string;
  /** The header `webhook-id`. */
  readonly id: string;
  readonly body: string;
}

export interface WebhookOutcome {
  readonly isDelivered: boolean;
  readonly durationMs: number;
  readonly response: { readonly status: number; readonly body: string } | null;
  /** Why it did not arrive; null when it did. */
  readonly error: string | null;
  /** Another try cannot go better. */
  readonly isFinal: boolean;
  /** What the receiver asks to wait, in milliseconds. */
  readonly retryAfterMs: number;
}

const GONE = 410;
const USER_AGENT = 'Trellis-Webhooks';

/**
 * Sends deliveries, as Standard Webhooks has it: to origins that an administrator allowed; a
 * redirect is not followed, but counts as a failure.
 */
export class WebhookRequests {
  readonly #parts: WebhookRequestParts;

  constructor(parts: WebhookRequestParts) {
    this.#parts = parts;
  }

  /** Throws `invalid_request` or `webhook_address_not_allowed` unless deliveries may go there. */
  check(url: string): void {
    try {
      allowedAddress(url, this.#parts.allowList(), 'A webhook');
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'forbidden') throw error;
      const { message, hint, details } = error;
      throw new Problem('webhook_address_not_allowed', message, {
        cause: error,
        ...(hint === undefined ? {} : { hint }),
        ...(details === undefined ? {} : { details }),
      });
    }
  }

  /** Rejects with the signal's reason alone. */
  async send(message: WebhookMessage, signal: AbortSignal): Promise<WebhookOutcome> {
    const { onSent } = this.#parts;
    const begin = performance.now();
    const outcome = await this.#send(message, signal);
    const durationMs = Math.round(performance.now() - begin);
    onSent(outcome.isDelivered ? 'delivered' : 'failed', durationMs / 1_000);
    return { ...outcome, durationMs };
  }

  async #send(
    { webhook, url, id, body }: WebhookMessage,
    signal: AbortSignal,
  ): Promise<Omit<WebhookOutcome, 'durationMs'>> {
    const { fetch, clock, secrets } = this.#parts;
    const nowMs = clock.now();
    const seconds = Math.floor(nowMs / 1_000);
    try {
      const { href } = allowedAddress(url, this.#parts.allowList(), 'A webhook');
      const signature = secrets.sign(webhook, { id, seconds, body }, nowMs);
      if (signature === undefined) return failure(UNREADABLE, { isFinal: true });
      const until = AbortSignal.any([signal, AbortSignal.timeout(WEBHOOK_TIMEOUT_MS)]);
      const response = await fetch(href, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': USER_AGENT,
          'webhook-id': id,
          'webhook-timestamp': String(seconds),
          'webhook-signature': signature,
        },
        body,
        redirect: 'manual',
        signal: until,
      });
      return await this.#outcomeOf(response);
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Problem ? error.message : fetchFault(error);
      return failure(this.#parts.redact(reason));
    }
  }

  async #outcomeOf(response: Response): Promise<Omit<WebhookOutcome, 'durationMs'>> {
    const { status, headers, ok } = response;
    const body = this.#parts.redact(await beginningOf(response));
    const told = { status, body };
    if (ok) {
      return { isDelivered: true, response: told, error: null, isFinal: false, retryAfterMs: 0 };
    }
    const retryAfterMs = retryAfterOf(headers.get('retry-after'), this.#parts.clock.now());
    const isRedirect = status >= 300 && status < 400;
    const message = isRedirect
      ? `It answers ${status}: redirects are not followed`
      : `It answers ${status}`;
    return failure(message, { response: told, isFinal: status === GONE, retryAfterMs });
  }
}

const UNREADABLE =
  'Its secret cannot be opened, since the key that signs tokens is another one: make a new secret';

function failure(
  error: string,
  more: Partial<Omit<WebhookOutcome, 'durationMs'>> = {},
): Omit<WebhookOutcome, 'durationMs'> {
  return {
    isDelivered: false,
    response: null,
    error: error.slice(0, WEBHOOK_ANSWER_CHARACTERS_MAX),
    isFinal: false,
    retryAfterMs: 0,
    ...more,
  };
}

/**
 * What is kept of the answer. The status decides by itself: what goes wrong while the rest comes in
 * does not matter. A short answer is read to its end, so that the connection serves again.
 */
async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (text.length < WEBHOOK_ANSWER_CHARACTERS_MAX) text += decoder.decode(chunk, STREAM);
      // To leave the loop ends the request too.
      if (bytes > WEBHOOK_ANSWER_BYTES_MAX) break;
    }
  } catch {
    // It broke off, or took too long.
  }
  return text.slice(0, WEBHOOK_ANSWER_CHARACTERS_MAX);
}

const STREAM = { stream: true } as const;

/** Seconds, or a date; nothing else counts. */
function retryAfterOf(header: string | null, nowMs: number): number {
  if (header === null) return 0;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
