import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { Problem } from '#base/problem.ts';
import { createMcpServer, type McpServerParts } from './mcp-server.ts';
import type { McpCall } from './mcp-service.ts';

/** What tells clients of one caller apart: see `RunningCalls`. */
export const SESSION_HEADER = 'mcp-session-id';

export interface AnswerParts extends McpServerParts {
  readonly newSession: () => string;
}

/** Answers one message by a server of its own; what may take long is answered as a stream of events. */
export async function answerMessage(call: McpCall, parts: AnswerParts): Promise<Response> {
  call.signal.throwIfAborted();
  const method = methodOf(call.message);
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: method !== 'tools/call',
  });
  const over = new AbortController();
  const server = createMcpServer(call, parts, over);
  const ended = Promise.withResolvers<never>();
  // Whoever waits for the answer is told; when nobody does any more, that is no fault.
  ended.promise.catch(() => {});
  const end = (): void => {
    void server.close();
    ended.reject(call.signal.reason);
  };
  AbortSignal.any([call.signal, over.signal]).addEventListener('abort', end, { once: true });
  await server.connect(transport);
  // Only its headers are looked at; the path is that of no server.
  const request = new Request('http://mcp.invalid/', { method: 'POST', headers: call.headers });
  const response = await Promise.race([
    transport.handleRequest(request, { parsedBody: call.message }),
    ended.promise,
  ]);
  if (response.status >= 400) throw await refusalIn(response);
  if (method === 'initialize') response.headers.set(SESSION_HEADER, parts.newSession());
  return response;
}

/** Throws for several messages at once, which protocol versions from 2025-06-18 on do not know. */
function methodOf(message: unknown): unknown {
  if (!Array.isArray(message)) return Object(message).method;
  throw refusal('must be one message: batches are not taken');
}

/** What the transport has found wrong with the request as a whole. */
async function refusalIn(response: Response): Promise<Problem> {
  const { error } = Object(await response.json()) as { readonly error?: { message?: unknown } };
  return refusal(String(error?.message ?? 'is no message of the protocol'));
}

function refusal(message: string): Problem {
  return new Problem('invalid_request', `body: ${message}`, {
    hint: 'Send one JSON-RPC message of the Model Context Protocol, with "Accept: application/json, text/event-stream".',
    details: { fields: [{ path: '', message }] },
  });
}
