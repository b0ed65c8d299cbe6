import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import {
  commonHeaders,
  errorAnswer,
  type ErrorParts,
  logError,
  toProblem,
} from './error-answer.ts';
import { requestIdFrom } from './header-names.ts';
import { unknownRoute } from './unknown-route.ts';

/** Answers whatever is thrown while a request is handled, in every scope. */
export function answerErrors(app: FastifyInstance, parts: ErrorParts): void {
  const handler = createErrorHandler(parts);
  app.setErrorHandler(handler);
  app.setNotFoundHandler((request) => {
    throw unknownRoute(request);
  });
  app.server.on('checkExpectation', (request, response) => {
    const problem = new Problem('expectation_failed', 'This Expect header cannot be met.');
    const answer = errorAnswer(problem, requestIdFrom(request.headers, parts.newRequestId));
    logError(parts.logger, problem, answer, undefined);
    const body = JSON.stringify(answer.body);
    response
      .writeHead(answer.status, {
        ...commonHeaders(parts, answer.body.traceId),
        'content-length': Buffer.byteLength(body),
        // The body is still on its way, or never comes: the connection cannot be used again.
        connection: 'close',
      })
      .end(body);
  });
}

/** For requests as well as for what the framework finds before there is a route. */
export function createErrorHandler(
  parts: ErrorParts,
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => void {
  return (error, request, reply) => {
    if (request.socket.destroyed) {
      parts.logger.info({ traceId: request.id }, 'the client went away before its answer');
      reply.hijack();
      return;
    }
    const problem = toProblem(error, request.routeOptions.config.operation);
    if (problem.code === 'read_only_replica' && parts.primaryAddress !== null) {
      reply
        .code(303)
        .headers(commonHeaders(parts, request.id))
        .header('location', parts.primaryAddress + request.url)
        .send();
      return;
    }
    const answer = errorAnswer(problem, request.id, request.routeOptions.config.operation);
    logError(parts.logger, problem, answer, request);
    lingerAfter(request, reply, parts.lingerMs);
    // The framework would close at once after a body that it did not take.
    if (reply.hasHeader('connection')) reply.removeHeader('connection');
    reply
      .code(answer.status)
      .headers(commonHeaders(parts, request.id))
      .headers(answer.headers)
      .send(JSON.stringify(answer.body));
  };
}

/**
 * When an answer goes out before the body is in, the sender gets a while to read it: closing at
 * once would reset the connection under its hands and lose the answer. What still arrives is thrown
 * away, so that the connection can go on with the next request; a sender that does not come to an
 * end is cut off.
 */
function lingerAfter(request: FastifyRequest, reply: FastifyReply, lingerMs: number): void {
  const { raw, socket } = request;
  if (raw.complete) return;
  reply.raw.once('finish', () => {
    if (raw.complete) return;
    // Node does so itself only for a body of which nothing was read.
    raw.resume();
    const timer = setTimeout(() => {
      if (!raw.complete) socket.destroy();
    }, lingerMs);
    raw.once('close', () => clearTimeout(timer));
  });
}
