import { originOf } from '@trellis/contract/origins.ts';
import { ConnectorError } from '../connector-error.ts';
import type { SourceFetch } from './source-context.ts';

const REDIRECTS_MAX = 5;

/**
 * `fetch` that reaches only origins that are allowed, wherever it is redirected to: each hop is
 * checked before it is asked. Credentials stay with the origin that they are for. What was read of
 * all answers together is bounded.
 */
export function allowedFetch(origins: readonly string[], bytesMax: number): SourceFetch {
  let bytesLeft = bytesMax;
  const count = (chunk: Uint8Array): Uint8Array => {
    bytesLeft -= chunk.length;
    if (bytesLeft >= 0) return chunk;
    throw new ConnectorError('source_failed', `The source sends more than ${bytesMax} bytes`);
  };
  return async (address, options) => {
    let url = new URL(address);
    let headers = new Headers(options.headers);
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      checkOrigin(url, origins);
      const response = await fetch(url.href, { ...options, headers, redirect: 'manual' });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null) {
        return countedAnswer(response, count);
      }
      await response.body?.cancel();
      if (!URL.canParse(location, url.href)) break;
      const next = new URL(location, url);
      if (next.origin !== url.origin) {
        headers = new Headers(headers);
        headers.delete('authorization');
      }
      url = next;
    }
    throw new ConnectorError('source_failed', `${new URL(address).origin} redirects without end`);
  };
}

function checkOrigin(url: URL, origins: readonly string[]): void {
  const origin = originOf(url.href);
  if (origin !== undefined && origins.includes(origin)) return;
  throw new ConnectorError(
    'source_failed',
    `${origin ?? url.protocol} is not in the setting fetchAllowList of the workspace`,
  );
}

function countedAnswer(response: Response, count: (chunk: Uint8Array) => Uint8Array): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => controller.enqueue(count(chunk)),
    }),
  );
  return new Response(counted, { status, statusText, headers });
}
