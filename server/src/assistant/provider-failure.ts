import { EMBEDDING_FAULT_CHARACTERS_MAX } from '#base/search-limits.ts';
import { EmbeddingFailure, type EmbeddingFailureReason } from '#search/embeddings/embed-texts.ts';

export interface ProviderAnswer {
  readonly status: number;
  /** The header: seconds, or a date (RFC 9110, section 10.2.3). */
  readonly retryAfter: string | null;
  readonly text: string;
}

/** What an answer other than 200 means. */
export function failureOf(
  { status, retryAfter, text }: ProviderAnswer,
  apiKey: string | null,
  now: number,
): EmbeddingFailure {
  const reason = reasonOf(status);
  // Providers repeat parts of a key that they do not know.
  const words = status === 401 || status === 403 ? '' : faultOf(text, apiKey);
  const message = `the provider answers ${status}${words === '' ? '' : `: ${words}`}`;
  if (reason !== 'busy') return new EmbeddingFailure(reason, message);
  return new EmbeddingFailure(reason, message, { retryAfterMs: delayOf(retryAfter, now) });
}

const REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);
const BUSY: ReadonlySet<number> = new Set([408, 425, 429]);

function reasonOf(status: number): EmbeddingFailureReason {
  if (REFUSED.has(status)) return 'refused';
  return status >= 500 || BUSY.has(status) ? 'busy' : 'misconfigured';
}

/** Milliseconds of a `Retry-After`; undefined when it says nothing that can be read. */
export function delayOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** The words of a provider, without the key, in any of the shapes in use, on one line. */
export function faultOf(text: string, apiKey: string | null): string {
  const words = apiKey === null ? messageIn(text) : messageIn(text).replaceAll(apiKey, '[key]');
  const line = words.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
  return line.slice(0, EMBEDDING_FAULT_CHARACTERS_MAX);
}

function messageIn(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // A page of some proxy.
    return '';
  }
  if (typeof body !== 'object' || body === null) return '';
  const { error, message, detail }: { error?: unknown; message?: unknown; detail?: unknown } = body;
  const nested =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : error;
  return [nested, message, detail].find((one) => typeof one === 'string') ?? '';
}
