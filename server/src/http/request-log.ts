import type { FastifyInstance } from 'fastify';
import type { Logger } from '#observe/logger.ts';

/**
 * A record for every answer at level `debug`. Errors have theirs at any level, so that nothing is
 * paid for this one by default.
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

/** Without the query, which may hold what is nobody's business. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

const SHOWN_PATH_CHARACTERS_MAX = 200;

/** The same for people: a path may be as long as a stranger likes, and must not fill the log. */
export function shownPath(url: string): string {
  const path = pathOf(url);
  if (path.length <= SHOWN_PATH_CHARACTERS_MAX) return path;
  return `${path.slice(0, SHOWN_PATH_CHARACTERS_MAX)}...`;
}
