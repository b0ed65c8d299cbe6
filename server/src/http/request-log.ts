import type { FastifyInstance } from 'fastify';
import type { Logger } from '#observe/logger.ts';

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
