import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isPrivateAddress } from '#base/ip-address.ts';
import { Problem } from '#base/problem.ts';
import { CACHE, CHAT, REQUEST_ID, RUN_KEY, RUN_PROGRESS, SEQUENCE, TERM } from './headers.ts';
import { WEB_SOCKET_PATH } from '@trellis/contract/web-socket.ts';
import type { FrontEndAnswers } from './front-end/front-end-answers.ts';
import { methodNotAllowed, unknownRoute } from './path-template.ts';
import { pathOf } from './observe-requests.ts';
import type { WebSockets } from './web-socket/web-sockets.ts';
import cors from '@fastify/cors';

/**
 * The headers that let a browser do nothing with an answer but read it. They are the same on every
 * answer, so they are made once: to make them for each request (as helmet does) halves the
 * throughput of small calls.
 */
export function securityHeaders(useHsts: boolean): Readonly<Record<string, string>> {
  return {
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    ...(useHsts ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  };
}

/** The headers as lines of the head of an answer. */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return lines.join('');
}

/**
 * Lets the pages of the origins in `MSK_CORS` call this server (specification, section 2.9). Tokens
 * travel in a header and not in cookies, so credentials stay off. A listed origin may send any
 * header.
 */
export async function allowCrossOrigin(
  app: FastifyInstance,
  origins: readonly string[],
): Promise<void> {
  if (origins.length === 0) return;
  await app.register(cors, {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: [
      SEQUENCE,
      TERM,
      REQUEST_ID,
      RUN_KEY,
      RUN_PROGRESS,
      CACHE,
      CHAT,
      'accept-ranges',
      'age',
      'content-disposition',
      'content-range',
      'etag',
      'location',
      'retry-after',
      'mcp-session-id',
    ],
    maxAge: 600,
    // Any OPTIONS request is answered like a preflight, not with a body of the plugin.
    strictPreflight: false,
  });
}

/** Adds the headers of every answer to those of preflights, which have no route that does it. */
export function addPreflightHeaders(
  app: FastifyInstance,
  headers: Readonly<Record<string, string>>,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'OPTIONS') {
      reply.headers(headers).header(REQUEST_ID, request.id);
    }
    done();
  });
}

/** Answers or refuses, before the body is read, the requests that need no route for that. */
export function refuseEarly(
  app: FastifyInstance,
  redirectToHttps: boolean,
  headers: Readonly<Record<string, string>>,
  beside: BesideOperations,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      done(new Problem('malformed_request', 'The header Host is missing.'));
    } else if (redirectToHttps && isPlain(request)) {
      reply.headers(headers).header(REQUEST_ID, request.id);
      reply.redirect(`https://${request.host}${request.url}`, 308);
    } else if (request.is404) {
      beside(request, reply);
    } else {
      done();
    }
  });
}

/** The status is answered over plain HTTP as well, since load balancers ask for it that way. */
function isPlain(request: FastifyRequest): boolean {
  if (request.routeOptions.config.operation?.area === 'status') return false;
  return request.protocol !== 'https' && !cameOverTls(request);
}

/**
 * Whether a proxy on a private address says that the request reached it over TLS. The proxy need
 * not be a trusted one: whoever lies here only loses their own redirect.
 */
function cameOverTls({ headers, socket }: FastifyRequest): boolean {
  return headers['x-forwarded-proto'] === 'https' && isPrivateAddress(socket.remoteAddress ?? '');
}

/** Answers a request that no operation takes, or throws the problem that it is. */
type BesideOperations = (request: FastifyRequest, reply: FastifyReply) => void;

const ALLOW = ['GET', 'HEAD'];

/**
 * Answers the files of the front end and the path of the WebSocket. Neither is in the table of
 * operations, and anybody may ask for both.
 */
export function besideOperations(
  frontEnd: FrontEndAnswers,
  webSockets: Pick<WebSockets, 'problem'>,
): BesideOperations {
  return (request, reply) => {
    const path = pathOf(request.url);
    const isWebSocket = path === WEB_SOCKET_PATH;
    if (!isWebSocket && !frontEnd.has(path)) {
      if (path !== '/') throw unknownRoute(request);
      throw new Problem('front_end_not_built', 'This server has no front end: it was not built.');
    }
    if (!ALLOW.includes(request.method)) throw methodNotAllowed(request, ALLOW);
    if (isWebSocket) throw webSockets.problem(request.ip);
    frontEnd.send(path, request, reply);
  };
}
