import { ENDPOINT_FETCH_BYTES_MAX, ENDPOINT_FETCH_TIMEOUT_MS } from '#base/endpoint-limits.ts';
import { allowedAddress, boundedText, type Fetch, fetchFault } from '#base/outbound.ts';
import { Problem } from '#base/problem.ts';
import type { Caller } from '#access/caller.ts';
import { guestText } from './guest-text.ts';
import { masking } from './secret-masks.ts';
import { type NamedSecret, namedSecret, type SecretSource, withSecrets } from './secret-headers.ts';

export interface OutboundRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | NamedSecret>>;
  readonly body: string | null;
}

export interface RequestLimits {
  /** A time of `performance.now()`. */
  readonly deadline: number;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Told of an answer before its text is given. */
  readonly onAnswer?: (answer: { readonly status: number; readonly bytes: number }) => void;
}

/** Whose code asks. */
interface Requester {
  readonly endpoint: string;
  readonly caller: Caller;
}

/**
 * `fetch` of endpoint code, performed on the main thread: to origins that an administrator allowed
 * and to no others. Redirects are not followed but given to the code.
 * Secrets that the code names are put in here, and taken out of what is answered: no worker ever
 * has their values.
 */
export class OutboundRequests {
  readonly #fetch: Fetch;
  readonly #allowList: () => readonly string[];
  readonly #secrets: SecretSource;

  constructor(fetch: Fetch, allowList: () => readonly string[], secrets: SecretSource) {
    this.#fetch = fetch;
    this.#allowList = allowList;
    this.#secrets = secrets;
  }

  /**
   * JSON of `{status, statusText, url, headers, text}`. `request` is what the code of an endpoint
   * made. Rejects with `invalid_request`, `forbidden` when the origin is not allowed,
   * `fetch_failed`, and what a secret is refused with.
   */
  async send(
    request: OutboundRequest,
    limits: RequestLimits,
    requester: Requester,
  ): Promise<string> {
    const url = allowedAddress(request.url, this.#allowList(), 'fetch()');
    checkHeaders(request.headers);
    const { headers, sent } = withSecrets(request.headers, (name) =>
      this.#secrets.take(name, { url, ...requester }),
    );
    const mask = sent.length === 0 ? undefined : masking(sent);
    try {
      const received = await this.#ask(url, { ...request, headers }, limits);
      return JSON.stringify(mask === undefined ? received : await masked(received, mask));
    } catch (error) {
      if (error instanceof Problem) throw error;
      const fault = fetchFault(error);
      throw new Problem(
        'fetch_failed',
        `${url.origin} did not answer: ${mask === undefined ? fault : await mask(fault)}`,
        // An error may quote the request.
        mask === undefined ? { cause: error } : {},
      );
    }
  }

  async #ask(
    url: URL,
    { method, headers, body }: OutboundRequest & { readonly headers: Headings },
    { deadline, signal, onAnswer }: RequestLimits,
  ): Promise<Received> {
    const timeoutMs = Math.min(ENDPOINT_FETCH_TIMEOUT_MS, deadline - performance.now());
    const response = await this.#fetch(url.href, {
      method,
      headers: { ...headers },
      ...(body === null ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, Math.floor(timeoutMs)))]),
    });
    const text = await boundedText(response, ENDPOINT_FETCH_BYTES_MAX);
    if (text === undefined) {
      throw new Problem(
        'fetch_failed',
        `${url.origin} answered with more than ${ENDPOINT_FETCH_BYTES_MAX} bytes`,
      );
    }
    const { status, statusText } = response;
    onAnswer?.({ status, bytes: Buffer.byteLength(text) });
    return {
      status,
      statusText,
      url: url.href,
      headers: Object.fromEntries(response.headers),
      text,
    };
  }
}

type Headings = Readonly<Record<string, string>>;

interface Received {
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly headers: Headings;
  readonly text: string;
}

async function masked(
  { status, statusText, url, headers, text }: Received,
  mask: (text: string) => Promise<string>,
): Promise<Received> {
  const named = Object.entries(headers).map(
    async ([name, value]) => [await mask(name), await mask(value)] as const,
  );
  return {
    status,
    statusText: await mask(statusText),
    url,
    headers: Object.fromEntries(await Promise.all(named)),
    text: await mask(text),
  };
}

/** They frame the request on the wire, or name another host behind the same address. */
const OWN_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function checkHeaders(headers: OutboundRequest['headers']): void {
  for (const name of Object.keys(headers)) {
    if (!OWN_HEADERS.has(name.toLowerCase())) continue;
    throw new Problem('invalid_request', `fetch() sets the header "${name}" itself`);
  }
}

/** From what the code made, which may be anything. */
export function outboundRequest(request: unknown): OutboundRequest {
  const { url, method, headers, body } = Object(request) as Record<string, unknown>;
  const named = Object.entries(Object(headers) as Record<string, unknown>);
  return {
    url: guestText(url),
    method: guestText(method ?? 'GET').toUpperCase(),
    headers: Object.fromEntries(
      named.map(([name, value]) => [name, namedSecret(value) ?? headerText(name, value)]),
    ),
    body: typeof body === 'string' ? body : null,
  };
}

function headerText(name: string, value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  throw new Problem(
    'invalid_request',
    `fetch() takes a text, or secret(), as header "${name}", not ${guestText(value)}`,
  );
}
