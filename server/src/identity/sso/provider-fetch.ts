import type { CustomFetch } from 'openid-client';
import { SSO_PROVIDER_ANSWER_BYTES_MAX } from '#base/limits.ts';
import { invalidSetting } from './setting-change.ts';

/** The part of `fetch` that talks to providers: one address, everything decided by the caller. */
export type Fetch = (address: string, options: RequestInit) => Promise<Response>;

/**
 * Requests that a provider's documents may lead to: only to addresses nobody can listen in on,
 * never along a redirect, and no more of the answer than anything honest has. The answer is read
 * here, so that the caller's timeout covers its body.
 */
export function providerFetch(fetch: Fetch): CustomFetch {
  return async (address, { body: sent, signal, ...options }) => {
    if (!isSafeAddress(new URL(address))) throw new TypeError('an address that is not safe');
    const response = await fetch(address, {
      ...options,
      redirect: 'manual',
      ...(sent === undefined ? {} : { body: sent }),
      ...(signal === undefined ? {} : { signal }),
    });
    const body = response.body === null ? null : await readBounded(response.body);
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

async function readBounded(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > SSO_PROVIDER_ANSWER_BYTES_MAX) throw new TypeError('an answer that is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** https, or http on this machine, where nobody is in between. */
export function isSafeAddress({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

/**
 * An address of an identity provider as an administrator gives it; the problem `invalid_request`
 * when it is not safe.
 */
export function checkAddress(path: string, address: string): URL {
  const url = URL.parse(address);
  if (url === null || !isSafeAddress(url)) {
    throw invalidSetting(path, 'must be an https address, or an http one on the loopback');
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw invalidSetting(path, 'must have neither credentials nor a fragment');
  }
  return url;
}
