import { type PrimaryAddress, requirePrimary } from '#base/primary-address.ts';
import type { Caller } from '#access/caller.ts';
import { ENDPOINT_RESULT_BYTES_MAX } from '#base/endpoint-limits.ts';
import { Problem } from '#base/problem.ts';
import { errorCodeOf } from '@trellis/contract/errors.ts';
import { boundedText, type Fetch } from '#base/outbound.ts';
import type { RequestLimits } from './outbound-requests.ts';
import { RUN_KEY_HEADER } from './pooled-runs.ts';

const POLL_PAUSE_MS = 100;

export interface PrimaryRun {
  readonly path: string;
  /** JSON text; empty for none. */
  readonly body: string;
  readonly caller: Caller;
  /** What the caller has shown this server: the primary knows it too. */
  readonly authorization: string | undefined;
  readonly limits: RequestLimits;
}

/**
 * `runOnPrimary` on a replica: the primary is asked over HTTP, with the caller's own credential,
 * and decides as if the caller had asked. The credential stays in the main thread; the code of the
 * endpoint never sees it.
 */
export class PrimaryCalls {
  readonly #fetch: Fetch;
  readonly #address: PrimaryAddress;

  constructor(fetch: Fetch, address: PrimaryAddress) {
    this.#fetch = fetch;
    this.#address = address;
  }

  /**
   * The JSON that the endpoint answered. Rejects with the problem it answered with, or
   * `fetch_failed`.
   */
  async run({ path, body, caller, authorization, limits }: PrimaryRun): Promise<string> {
    const folder = caller.kind === 'endpoint' ? 'token/run' : 'run';
    const name = path.split('/').map(encodeURIComponent).join('/');
    const url = `${requirePrimary(this.#address)}/api/endpoints/${folder}/${name}`;
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (authorization !== undefined) headers['authorization'] = authorization;
    let key: string | null = null;
    for (;;) {
      const response = await this.#send(url, limits, {
        headers: key === null ? headers : { ...headers, [RUN_KEY_HEADER]: key },
        ...(key === null && body !== '' ? { body } : {}),
      });
      key = response.headers.get(RUN_KEY_HEADER);
      if (response.status !== 202 || key === null) return this.#answerOf(path, response);
      await new Promise((resolve) => setTimeout(resolve, POLL_PAUSE_MS));
    }
  }

  async #send(
    url: string,
    { deadline, signal }: RequestLimits,
    options: RequestInit,
  ): Promise<Response> {
    const timeoutMs = Math.floor(deadline - performance.now());
    if (timeoutMs <= 0) throw unreachable('there is no time left');
    try {
      return await this.#fetch(url, {
        ...options,
        method: 'POST',
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
    } catch (error) {
      throw unreachable('it does not answer', error);
    }
  }

  async #answerOf(path: string, response: Response): Promise<string> {
    const text = await boundedText(response, ENDPOINT_RESULT_BYTES_MAX).catch((error: unknown) => {
      throw unreachable('its answer broke off', error);
    });
    if (text === undefined) throw unreachable('its answer is too large');
    const { status } = response;
    if (status >= 300 && status < 400) {
      return JSON.stringify({ location: response.headers.get('location') });
    }
    if (status < 300) return text === '' ? 'null' : text;
    throw problemIn(text) ?? answeredWith(path, status);
  }
}

function unreachable(why: string, cause?: unknown): Problem {
  return new Problem('fetch_failed', `The primary cannot be reached: ${why}`, { cause });
}

function answeredWith(path: string, status: number): Problem {
  return new Problem('endpoint_failed', `"${path}" answered ${status} on the primary`, {
    details: { status },
  });
}

/** That of an error body (open-shapes, section 2). */
function problemIn(text: string): Problem | undefined {
  try {
    const { error } = Object(JSON.parse(text)) as { readonly error?: unknown };
    const { code, message, hint } = Object(error) as Record<string, unknown>;
    if (typeof code !== 'string' || typeof message !== 'string') return undefined;
    return new Problem(
      errorCodeOf(code, 'endpoint_failed'),
      message,
      typeof hint === 'string' ? { hint } : {},
    );
  } catch {
    return undefined;
  }
}
