import type { ConnectionError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noPrimary } from '#base/primary-address.ts';
import { Problem } from '#base/problem.ts';
import {
  commonHeaders,
  type ErrorAnswer,
  errorAnswer,
  type ErrorParts,
  logError,
  toProblem,
} from './error-answer.ts';
import { requestIdFrom } from './headers.ts';
import { unknownRoute } from './path-template.ts';
import { mcpChallenge } from './reached.ts';
import { HTTP_HEADER_BYTES_MAX } from '#base/limits.ts';

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

/** Answers errors of requests, and those that the framework finds before there is a route. */
export function createErrorHandler(
  parts: ErrorParts,
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => void {
  return (error, request, reply) => {
    if (request.socket.destroyed) {
      parts.logger.info({ traceId: request.id }, 'the client went away before its answer');
      reply.hijack();
      return;
    }
    const found = toProblem(error, request.routeOptions.config.operation);
    const isForPrimary = found.code === 'read_only_replica' && parts.primaryAddress !== null;
    const primary = isForPrimary ? parts.primaryAddress?.() : undefined;
    if (primary !== undefined) {
      reply
        .code(303)
        .headers(commonHeaders(parts, request.id))
        .header('location', primary + request.url)
        .send();
      return;
    }
    const problem = isForPrimary ? noPrimary() : found;
    const answer = errorAnswer(problem, request.id, request.routeOptions.config.operation);
    logError(parts.logger, problem, answer, request);
    lingerAfter(request, reply, parts.lingerMs);
    // The framework would close at once after a body that it did not take.
    if (reply.hasHeader('connection')) reply.removeHeader('connection');
    reply
      .code(answer.status)
      .headers(commonHeaders(parts, request.id))
      .headers(answer.headers)
      .headers(challengeOf(answer, request, parts))
      .send(JSON.stringify(answer.sent ?? answer.body));
  };
}

/** The challenge of the MCP server says where its clients get tokens (RFC 9728, section 5.1). */
function challengeOf(
  { headers }: ErrorAnswer,
  request: FastifyRequest,
  { reachedBy }: ErrorParts,
): Record<string, string> {
  const challenge = headers['www-authenticate'];
  if (challenge === undefined || request.routeOptions.config.operation?.id !== 'callMcp') return {};
  try {
    return { 'www-authenticate': mcpChallenge(challenge, reachedBy(request).base) };
  } catch (error) {
    // Whoever names no host learns of no address: the answer is that of its own fault.
    if (error instanceof Problem) return {};
    throw error;
  }
}

/**
 * When an answer goes out before the body is in, the sender gets a while to read it: closing at
 * once would reset the connection, and the answer would be lost. The rest of the body is thrown
 * away, so that the connection can take the next request. A sender that does not finish is cut off.
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

type Socket = FastifyRequest['socket'];

/**
 * What Node keeps on a socket about the answer under way. Node's own handler reads it too.
 */
interface BusySocket {
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
}

/**
 * Answers what never became a request: bytes that are not HTTP, too many headers, a sender that is
 * too slow. `isStreaming` says whether a connection has a body that may take any time.
 */
export function createClientErrorHandler(
  parts: ErrorParts,
  isStreaming: (socket: Socket) => boolean,
): (error: ConnectionError, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isStreaming(socket)) return;
    const underWay = (socket as Socket & BusySocket)._httpMessage;
    if (!socket.writable || error.code === 'ECONNRESET' || underWay?.headersSent === true) {
      socket.destroy();
      return;
    }
    const problem = problemOf(error);
    const answer = errorAnswer(problem, parts.newRequestId());
    logError(parts.logger, problem, answer, undefined);
    const body = JSON.stringify(answer.body);
    const headers = {
      ...commonHeaders(parts, answer.body.traceId),
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${answer.status} ${problem.code}\r\n${lines.join('')}\r\n${body}`);
  };
}

function problemOf(error: ConnectionError): Problem {
  const cause = { cause: error };
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW': {
      const limitBytes = HTTP_HEADER_BYTES_MAX;
      return new Problem('headers_too_large', `Path and headers exceed ${limitBytes} bytes.`, {
        ...cause,
        details: { limitBytes },
      });
    }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'The request did not arrive in time.', cause);
    default:
      return new Problem('malformed_request', 'These bytes are not an HTTP request.', cause);
  }
}
