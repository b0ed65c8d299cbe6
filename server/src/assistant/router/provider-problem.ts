import { Problem, type ProblemExtra } from '#base/problem.ts';
import { fetchFault } from '#base/outbound.ts';
import { EMBEDDING_FAULT_CHARACTERS_MAX } from '#base/search-limits.ts';
import { EmbeddingFailure, type EmbeddingFailureReason } from '#search/embeddings/embed-texts.ts';

const REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);
const BUSY: ReadonlySet<number> = new Set([408, 425, 429]);

/** The problem for an answer with a status other than 200. */
export function problemOfAnswer(
  answer: ProviderAnswer,
  apiKey: string | null,
  now: number,
): Problem {
  const { status, retryAfter, text } = answer;
  // Providers repeat parts of a wrong key in these messages.
  const words = status === 401 || status === 403 ? '' : faultOf(text, apiKey);
  const says = `${status}${words === '' ? '' : `: ${words}`}`;
  if (REFUSED.has(status)) {
    return new Problem('llm_request_refused', `The provider refuses the request with ${says}`);
  }
  const message = `The provider answers ${says}`;
  const extra = waiting(delayOf(retryAfter, now));
  if (BUSY.has(status)) return new Problem('llm_busy', message, extra);
  if (status >= 500) return new Problem('llm_unavailable', message, extra);
  return misconfigured(`answers ${says}`);
}

function waiting(delayMs: number | undefined): ProblemExtra {
  if (delayMs === undefined) return {};
  return { details: { retryAfterSeconds: Math.ceil(delayMs / 1_000) } };
}

/** When whoever answers with a problem wants to be asked again; undefined when it does not say. */
export function delayAskedMs(error: unknown): number | undefined {
  const seconds = error instanceof Problem ? error.details?.['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' ? seconds * 1_000 : undefined;
}

/** Only administrators see the address of the provider, in the cause. */
export function unreachable(cause: unknown): Problem {
  return new Problem('llm_unavailable', 'The provider cannot be reached.', { cause });
}

export function tooLate(): Problem {
  return new Problem('llm_unavailable', 'The provider takes too long.');
}

/** The problem for an event that ends a stream before the answer is whole. */
export function problemOfEvent(data: string, apiKey: string | null): Problem {
  const words = faultOf(data, apiKey);
  const message = `The provider broke off${words === '' ? '.' : `: ${words}`}`;
  return new Problem('llm_unavailable', message);
}

export function brokenOff(cause?: unknown): Problem {
  const message = 'The provider stopped before the answer was complete.';
  return new Problem('llm_unavailable', message, { cause });
}

/** `what` continues the sentence "The provider ...". */
export function misconfigured(what: string, cause?: unknown): Problem {
  return new Problem('llm_misconfigured', `The provider ${what}`, { cause });
}

/** The message and the network error, for administrators. */
export function faultWords(problem: Problem): string {
  return problem.cause === undefined
    ? problem.message
    : `${problem.message} (${fetchFault(problem.cause)})`;
}

export interface ProviderAnswer {
  readonly status: number;
  /** The header `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3). */
  readonly retryAfter: string | null;
  readonly text: string;
}

/** The failure for an answer with a status other than 200. */
export function failureOf(
  { status, retryAfter, text }: ProviderAnswer,
  apiKey: string | null,
  now: number,
): EmbeddingFailure {
  const reason = reasonOf(status);
  // Providers repeat parts of a wrong key in these messages.
  const words = status === 401 || status === 403 ? '' : faultOf(text, apiKey);
  const message = `the provider answers ${status}${words === '' ? '' : `: ${words}`}`;
  if (reason !== 'busy') return new EmbeddingFailure(reason, message);
  return new EmbeddingFailure(reason, message, { retryAfterMs: delayOf(retryAfter, now) });
}

function reasonOf(status: number): EmbeddingFailureReason {
  if (REFUSED.has(status)) return 'refused';
  return status >= 500 || BUSY.has(status) ? 'busy' : 'misconfigured';
}

/** Milliseconds from a `Retry-After`; undefined when the header is missing or invalid. */
function delayOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/**
 * The error message of a provider on one line, in any of the usual shapes, with the key removed.
 */
function faultOf(text: string, apiKey: string | null): string {
  const words = apiKey === null ? messageIn(text) : messageIn(text).replaceAll(apiKey, '[key]');
  const line = words.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
  return line.slice(0, EMBEDDING_FAULT_CHARACTERS_MAX);
}

function messageIn(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON, such as the page of a proxy.
    return '';
  }
  if (typeof body !== 'object' || body === null) return '';
  const { error, message, detail }: { error?: unknown; message?: unknown; detail?: unknown } = body;
  const nested =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : error;
  return [nested, message, detail].find((one) => typeof one === 'string') ?? '';
}
