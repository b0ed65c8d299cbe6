import { createHook } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { assert } from '#base/assert.ts';
import {
  HTTP_CONNECTIONS_MAX,
  HTTP_HEADER_BYTES_MAX,
  HTTP_KEEP_ALIVE_TIMEOUT_MS,
  WEB_SOCKETS_MAX,
} from '#base/limits.ts';
import { JSON_BODY_BYTES_MAX } from '@trellis/contract/limits.ts';
import type { WebSocketMessage } from '@trellis/contract/web-socket.ts';
import type { PrimaryAddress } from '#base/primary-address.ts';
import type { Logger } from '#observe/logger.ts';
import type { Telemetry } from '#observe/telemetry/telemetry.ts';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { Bodies } from './body/bodies.ts';
import { jsonReader } from './body/read-body.ts';
import { CompressedAnswers } from './compressed-answers.ts';
import { errorDescriber, type ErrorParts } from './error-answer.ts';
import { answerErrors, createClientErrorHandler, createErrorHandler } from './error-handlers.ts';
import { EventStreams } from './live-answers.ts';
import { FrontEndAnswers } from './front-end/front-end-answers.ts';
import { proxyTrust, requestIdFrom } from './headers.ts';
import { logRequests, observeRequests } from './observe-requests.ts';
import {
  addPreflightHeaders,
  allowCrossOrigin,
  besideOperations,
  headerLines,
  refuseEarly,
  securityHeaders,
} from './prepare-requests.ts';
import { PreparedResponse } from './raw-answer.ts';
import { reachedBy } from './reached.ts';
import { registerRoutes } from './register-routes.ts';
import { HTTP_TIMEOUTS, type HttpTimeouts, type RouteContext } from './route.ts';
import { routes } from './routes.ts';
import type { HttpServices } from './services.ts';
import { holdLargeAnswers } from './unread-answers.ts';
import { WebSockets } from './web-socket/web-sockets.ts';

export interface HttpServerOptions {
  readonly logger: Logger;
  /** `MSK_CORS`. */
  readonly corsOrigins: readonly string[];
  /** `MSK_USE_HSTS` and `MSK_REDIRECT_TO_HTTPS`. */
  readonly useHsts: boolean;
  readonly redirectToHttps: boolean;
  /** `MSK_TRUSTED_PROXIES`: the proxies that may say who the client is. */
  readonly trustedProxies: readonly string[];
  /** `MSK_PUBLIC_ADDRESS`, of this server itself; null when it is not set. */
  readonly publicAddress: string | null;
  /** Null on a primary. */
  readonly primaryAddress: PrimaryAddress | null;
  /** Makes a request id that cannot be guessed: a UUID, unless a test gives its own. */
  readonly newRequestId?: () => string;
  /** The limits of `base/limits.ts` unless a test cannot wait for them. */
  readonly timeouts?: Partial<HttpTimeouts>;
  readonly webSocketsMax?: number;
  /** Undefined when telemetry is off. */
  readonly telemetry?: Telemetry | undefined;
}

export interface HttpServer extends AsyncDisposable {
  /** Port 0 is any free one. Resolves with the URL under which this machine reaches the server. */
  listen(at: {
    readonly host: string;
    readonly port: number;
  }): Promise<{ readonly url: string; readonly port: number }>;
  /**
   * Sends the message to every WebSocket session that it is for; a session of the user with the UID
   * `owner` always gets it.
   */
  broadcast(message: WebSocketMessage, owner?: string): void;
  /** Whether there is a WebSocket that a message could reach. */
  readonly hasListeners: () => boolean;
  /**
   * Stops accepting, lets requests finish for the grace period, then cuts them off. Further calls
   * are the same call.
   */
  close(): Promise<void>;
}

/**
 * The HTTP server over the given services, with every operation of the contract; it does not listen
 * yet.
 */
export async function createHttpServer(
  services: HttpServices,
  options: HttpServerOptions,
): Promise<HttpServer> {
  const timeouts = { ...HTTP_TIMEOUTS, ...options.timeouts };
  const streamingSockets: WeakSet<object> = new WeakSet();
  const parts: ErrorParts = {
    logger: options.logger,
    securityHeaders: securityHeaders(options.useHsts),
    lingerMs: timeouts.linger,
    primaryAddress: options.primaryAddress,
    reachedBy: reachedBy(options.publicAddress, options.primaryAddress),
    newRequestId: options.newRequestId ?? randomUUID,
    sequence: () => services.sequence(),
  };
  const webSockets = createWebSockets(services, parts, options, timeouts);
  const eventStreams = new EventStreams();
  const onClientError = createClientErrorHandler(parts, (socket) => streamingSockets.has(socket));
  const app = createFastify(parts, { onClientError, webSockets }, options, timeouts);
  app.server.maxConnections = HTTP_CONNECTIONS_MAX;
  const connections = trackConnections(app, timeouts.silentConnection);
  observeRequests(app, options.telemetry);
  answerErrors(app, parts);
  logRequests(app, options.logger);
  const compressedAnswers = new CompressedAnswers();
  const unreadAnswers = holdLargeAnswers(app, timeouts.answerUnread, compressedAnswers);
  app.decorateRequest('caller', null).decorateRequest('response', null);
  app.decorateRequest('live', null);
  addPreflightHeaders(app, parts.securityHeaders);
  await allowCrossOrigin(app, options.corsOrigins);
  const frontEnd = new FrontEndAnswers(services.frontEnd, parts);
  const beside = besideOperations(frontEnd, webSockets);
  refuseEarly(app, options.redirectToHttps, parts.securityHeaders, beside);
  const bodies = new Bodies({
    readJson: jsonReader(app),
    strangerTimeoutMs: timeouts.strangerBody,
  });
  await registerRoutes(
    app,
    routes,
    {
      services,
      timeouts,
      bodies,
      streamingSockets,
      reachedBy: parts.reachedBy,
      eventStreams,
      unreadAnswers,
      compressedAnswers,
      onBrokenAnswer: brokenAnswers(parts.logger),
      securityHeaders: parts.securityHeaders,
      securityLines: headerLines(parts.securityHeaders),
      corsOrigins: options.corsOrigins,
      errorOf: errorDescriber(parts.logger),
    },
    { primaryAddress: options.primaryAddress, minSequenceWaitMs: timeouts.minSequenceWait },
  );
  await app.ready();

  return serverOf(app, webSockets, () => {
    eventStreams.stop();
    return stopGracefully(app, connections, timeouts.stopGrace).then(() => bodies.stop());
  });
}

function brokenAnswers(logger: ErrorParts['logger']): RouteContext['onBrokenAnswer'] {
  return (traceId, err) => logger.error({ traceId, err }, 'an answer broke off');
}

function serverOf(
  app: FastifyInstance,
  webSockets: WebSockets,
  stop: () => Promise<void>,
): HttpServer {
  let stopped: Promise<void> | undefined;
  const close = (): Promise<void> => {
    webSockets.stop();
    return (stopped ??= stop());
  };
  return {
    async listen({ host, port }) {
      // For "localhost" the framework opens a second server, which it does not set up like the
      // first.
      await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port });
      const address = app.server.address();
      assert(typeof address === 'object' && address !== null, 'the listener has an address');
      return { url: `http://${reachableHost(host)}:${address.port}`, port: address.port };
    },
    broadcast: (message, owner) => webSockets.broadcast(message, owner),
    hasListeners: () => webSockets.areOpen,
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface ConnectionParts {
  readonly onClientError: ReturnType<typeof createClientErrorHandler>;
  readonly webSockets: WebSockets;
}

function createFastify(
  parts: ErrorParts,
  { onClientError, webSockets }: ConnectionParts,
  options: HttpServerOptions,
  timeouts: HttpTimeouts,
): FastifyInstance {
  const app = Fastify({
    bodyLimit: JSON_BODY_BYTES_MAX,
    clientErrorHandler: onClientError,
    frameworkErrors: createErrorHandler(parts),
    genReqId: ({ headers }) => requestIdFrom(headers, parts.newRequestId),
    http: {
      connectionsCheckingInterval: timeouts.headers / 2,
      headersTimeout: timeouts.headers,
      maxHeaderSize: HTTP_HEADER_BYTES_MAX,
      // `refuseEarly` checks the header, so that the answer has the error body.
      requireHostHeader: false,
      ServerResponse: PreparedResponse,
      shouldUpgradeCallback: (request) => webSockets.isUpgrade(request),
    },
    keepAliveTimeout: HTTP_KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: timeouts.request,
    return503OnClosing: false,
    routerOptions: { maxParamLength: HTTP_HEADER_BYTES_MAX },
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    trustProxy: proxyTrust(options.trustedProxies),
  });
  app.decorate('tickObject', tickObject());
  app.server.on('upgrade', (request, socket, head) => webSockets.open(request, socket, head));
  return app;
}

/**
 * Replaces the compilers for JSON schemas, which load longer than the rest of the framework: no
 * route has a JSON schema.
 */
function unused(): never {
  throw new Error('no route has a JSON schema');
}

/**
 * The host by which this machine reaches the address: the loopback for a wildcard, an IPv6 address
 * in brackets.
 */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function createWebSockets(
  services: HttpServices,
  { logger, newRequestId }: ErrorParts,
  options: HttpServerOptions,
  timeouts: HttpTimeouts,
): WebSockets {
  return new WebSockets({
    services,
    logger,
    newRequestId,
    signInMs: timeouts.webSocketSignIn,
    pingIntervalMs: timeouts.webSocketPing,
    sessionCheckMs: timeouts.webSocketSessionCheck,
    socketsMax: options.webSocketsMax ?? WEB_SOCKETS_MAX,
    trusts: proxyTrust(options.trustedProxies),
    redirectToHttps: options.redirectToHttps,
  });
}

/**
 * One of the objects that Node makes for every `process.nextTick`; a small call makes five or more.
 * Keep it for as long as the server lives: when a garbage collection finds no such object alive, V8
 * forgets their shape and makes another. Code compiled for the first shape is then six times slower
 * for the rest of the process. Undefined if Node makes no such object.
 */
export function tickObject(): object | undefined {
  let made: object | undefined;
  const hook = createHook({
    // A hook that saw promises would slow them down for good.
    trackPromises: false,
    init: (_id, type, _trigger, resource) => {
      if (type === 'TickObject') made ??= resource;
    },
  });
  hook.enable();
  process.nextTick(() => {});
  hook.disable();
  return made;
}

/** How often a stopping server looks for connections that have become idle. */
const SWEEP_MS = 50;

/** Open connections, whether or not a request ever came over them. */
type OpenConnections = ReadonlySet<FastifyRequest['socket']>;

/** Keeps the list of open connections, and cuts off those that are silent for `silentMs`. */
function trackConnections({ server }: FastifyInstance, silentMs: number): OpenConnections {
  const open = new Set<FastifyRequest['socket']>();
  server.on('connection', (socket) => {
    // Its client is gone already. The address of any other is known from now on, since Node keeps
    // it: limits and the audit trail rely on it.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const cutOffs = cutOffSilentConnections(open, silentMs);
  server.once('close', () => clearInterval(cutOffs));
  return open;
}

/**
 * Accepts no more connections, gives running requests `graceMs` to finish, then cuts them off,
 * which aborts their signals. A connection that is or becomes idle is closed, since its client
 * would keep it open for the next request. So is one that was opened ahead and never used, as
 * browsers do: Node does not count it as idle.
 */
async function stopGracefully(
  app: FastifyInstance,
  connections: OpenConnections,
  graceMs: number,
): Promise<void> {
  const closeIdle = (): void => {
    app.server.closeIdleConnections();
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  };
  const sweep = setInterval(closeIdle, SWEEP_MS);
  const cut = setTimeout(() => app.server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cut);
  }
}

/** What is read of a socket. */
interface Connection {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  destroy(): unknown;
}

/**
 * Cuts off connections over which no byte has gone either way for `silentMs`, at the latest after
 * twice that time. One timer looks at all of them: Node's own, one for each connection, would be
 * set again with every request.
 */
export function cutOffSilentConnections(
  connections: ReadonlySet<Connection>,
  silentMs: number,
): NodeJS.Timeout {
  const bytesBefore = new WeakMap<object, number>();
  return setInterval(() => {
    for (const connection of connections) {
      const bytes = connection.bytesRead + connection.bytesWritten;
      if (bytesBefore.get(connection) === bytes) connection.destroy();
      bytesBefore.set(connection, bytes);
    }
  }, silentMs).unref();
}
