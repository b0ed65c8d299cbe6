import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from '#observe/logger.ts';
import type { OpenSpan, Telemetry } from '#observe/telemetry/telemetry.ts';

/**
 * Records a span and a duration for every request, by the semantic conventions for HTTP servers.
 * Without telemetry it costs a request nothing.
 */
export function observeRequests(app: FastifyInstance, telemetry: Telemetry | undefined): void {
  if (telemetry === undefined) return;
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    const method = methodOf(request);
    const route = request.routeOptions.config.operation?.path;
    const span = telemetry.startSpan(route === undefined ? method : `${method} ${route}`, {
      kind: 'server',
      traceparent: headerOf(request, 'traceparent'),
      attributes: {
        'http.request.method': method,
        ...(route === undefined ? {} : { 'http.route': route }),
        'url.scheme': request.protocol,
        'url.path': pathOf(request.url),
        'trellis.request.id': request.id,
      },
    });
    spans.set(request, span);
    telemetry.record('http.server.active_requests', 1, { 'http.request.method': method });
    reply.raw.once('close', () => {
      const { statusCode, writableFinished } = reply.raw;
      // A client that went away before the answer has got no status.
      const status = writableFinished
        ? { 'http.response.status_code': statusCode }
        : { 'error.type': 'client_disconnected' };
      span.set(status);
      if (writableFinished && statusCode >= 500) span.fail(String(statusCode));
      span.end();
      telemetry.record('http.server.active_requests', -1, { 'http.request.method': method });
      telemetry.record('http.server.request.duration', (performance.now() - startedAt) / 1_000, {
        'http.request.method': method,
        ...(route === undefined ? {} : { 'http.route': route }),
        ...status,
      });
    });
    span.run(done);
  });
  // The body arrives as events of the connection, which do not know their request.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.run(done);
  });
}

const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'CONNECT',
  'TRACE',
]);

/** A method that a client makes up must not become a value of the metric. */
function methodOf({ method }: FastifyRequest): string {
  return KNOWN_METHODS.has(method) ? method : '_OTHER';
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Logs every answer at level `debug`. Errors are logged at any level, so by default this costs
 * nothing.
 */
export function logRequests(app: FastifyInstance, logger: Logger): void {
  if (!logger.isLevelEnabled('debug')) return;
  app.addHook('onResponse', (request, reply, done) => {
    logger.debug(
      {
        traceId: request.id,
        method: request.method,
        path: shownPath(request.url),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime),
      },
      'answered',
    );
    done();
  });
}

/** The path without the query, which may hold private data. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

const SHOWN_PATH_CHARACTERS_MAX = 200;

/** The path for logs and messages, cut off: a client may send one of any length. */
export function shownPath(url: string): string {
  const path = pathOf(url);
  if (path.length <= SHOWN_PATH_CHARACTERS_MAX) return path;
  return `${path.slice(0, SHOWN_PATH_CHARACTERS_MAX)}...`;
}
