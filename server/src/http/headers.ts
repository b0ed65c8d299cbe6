import type { FastifyRequest } from 'fastify';
import { BlockList } from 'node:net';
import { ipVersion, withoutMapping } from '#base/ip-address.ts';

/** Headers of this service, as Node gives and takes them: lower case. */
export const REQUEST_ID = 'x-request-id';
export const SEQUENCE = 'x-msk-sequence';
export const MIN_SEQUENCE = 'x-msk-min-sequence';
export const TERM = 'x-msk-term';
export const RUN_KEY = 'msk-endpoint-key';
export const RUN_KEY_ALIAS = 'x-msk-endpoint-key';
export const RUN_PROGRESS = 'msk-endpoint-progress';
export const CACHE = 'msk-cache';
export const CHAT = 'msk-chat';

/** A caller's own id is used only when it is harmless in a header, a log or a page. */
const SANE_ID = /^[\w.:-]{8,128}$/;

/**
 * The id of a request, which is also the `traceId` of an error, the `X-Request-Id` of the answer
 * and in the log (open-shapes, section 2).
 */
export function requestIdFrom(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  newRequestId: () => string,
): string {
  const given = headers[REQUEST_ID];
  return typeof given === 'string' && SANE_ID.test(given) ? given : newRequestId();
}

/** Headers with credentials are kept from endpoint code. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
]);

/** Characters that JSON does not escape. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/**
 * The headers that endpoint code sees, as JSON text: names in lower case, without credentials. It
 * does as little as possible, since most endpoints read none: names of headers have no letter that
 * JSON escapes.
 */
export function forwardedHeaders(headers: FastifyRequest['headers']): string {
  let text = '';
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string' || CREDENTIALS.has(name)) continue;
    const json = PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
    text += `${text === '' ? '{' : ','}"${name}":${json}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** Whether the proxy at an address is trusted to say where a request came from. */
export type ProxyTrust = (address: string) => boolean;

/** Trusts the given networks: addresses, with or without a prefix length ("fd00::/8"). */
export function proxyTrust(networks: readonly string[]): ProxyTrust {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    trusted.addSubnet(address, bits === undefined ? bitsOf(family) : Number(bits), family);
  }
  return (address) => {
    const plain = withoutMapping(address);
    // What a client claims need not be an address at all.
    return ipVersion(plain) !== undefined && trusted.check(plain, familyOf(plain));
  };
}

/** The part of a request that says where it came from. */
interface Arrival {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * The address that a request came from: the last one on its way that is no trusted proxy. The
 * framework does the same for all requests but WebSockets.
 */
export function clientAddress({ socket, headers }: Arrival, trusts: ProxyTrust): string {
  const forwarded = headers['x-forwarded-for'];
  const told = [forwarded ?? []].flat().flatMap((one) => one.split(','));
  let address = socket.remoteAddress ?? '';
  for (const before of told.map((one) => one.trim()).toReversed()) {
    if (before === '' || !trusts(address)) break;
    address = before;
  }
  return address;
}

function bitsOf(family: 'ipv4' | 'ipv6'): number {
  return family === 'ipv6' ? 128 : 32;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return ipVersion(address) === 6 ? 'ipv6' : 'ipv4';
}
