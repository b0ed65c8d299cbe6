import type { ConnectionError, FastifyRequest } from 'fastify';
import { HTTP_HEADER_BYTES_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { commonHeaders, errorAnswer, type ErrorParts, logError } from './error-answer.ts';

type Socket = FastifyRequest['socket'];

/**
 * What Node keeps on a socket about the answer under way; read the way Node's own handler reads it.
 */
interface BusySocket {
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
}

/**
 * Answers what never became a request: bytes that are not HTTP, too many headers, too slow a
 * sender. `isStreaming` tells of a connection with a body that may take as long as it likes.
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
