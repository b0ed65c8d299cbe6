import { pipeline, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { operations } from '@trellis/contract/operations/mcp.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { invalidToken } from '#identity/token-claims.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { forwardedHeaders, SEQUENCE } from '../headers.ts';
import { type Route, type RouteContext, routesOf, sendNoBody } from '../route.ts';

/** The headers of a web answer that are sent on. */
const FORWARDED = ['content-type', 'cache-control', 'x-accel-buffering', 'mcp-session-id'];

/**
 * The route of the Model Context Protocol over streamable HTTP: one message in, one answer or a
 * stream of events out.
 */
function mcpRoute(operation: Operation): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, context) {
      refuseForeignPage(request, context.corsOrigins);
      const caller = must(request.caller, 'the caller of a message');
      if (!context.services.oauth.accepts(caller, context.reachedBy(request))) throw invalidToken();
      const stream = context.eventStreams.open(request);
      reply.raw.once('close', () => stream.abort());
      const answered = context.services.mcp.answer({
        caller,
        message: request.body,
        headers: webHeaders(request),
        endpointHeaders: forwardedHeaders(request.headers),
        authorization: request.headers.authorization,
        signal: stream.signal,
        errorOf: (error) => context.errorOf(error, request),
      });
      const response = await answered.catch((error: unknown) => {
        throw stream.signal.aborted ? stopping(error) : error;
      });
      return send(response, request, reply, context);
    },
  };
}

/**
 * Refuses a page of another origin, unless it may call across origins. Such a page can make its own
 * name lead to this server, but keeps its origin (MCP, "Security Warning" of streamable HTTP).
 */
function refuseForeignPage({ headers }: FastifyRequest, origins: readonly string[]): void {
  const { origin } = headers;
  if (origin === undefined || origins.includes(origin)) return;
  throw new Problem('forbidden', 'Pages of this origin may not call this server.', {
    hint: 'Add the origin to MSK_CORS.',
    details: { origin },
  });
}

/** A client that has gone gets no answer. */
function stopping(cause: unknown): Problem {
  return new Problem('server_stopping', 'The server is stopping.', { cause });
}

async function send(
  response: Response,
  request: FastifyRequest,
  reply: FastifyReply,
  { services, unreadAnswers, onBrokenAnswer }: RouteContext,
): Promise<string | undefined> {
  reply.code(response.status).header(SEQUENCE, services.sequence());
  for (const name of FORWARDED) {
    const value = response.headers.get(name);
    if (value !== null) reply.header(name, value);
  }
  if (response.body === null) return sendNoBody(reply);
  if (response.headers.get('content-type') === 'application/json') return response.text();
  unreadAnswers.watch(reply);
  reply.hijack();
  reply.raw.writeHead(response.status, reply.getHeaders() as Record<string, string>);
  reply.raw.flushHeaders();
  pipeline(Readable.fromWeb(response.body), reply.raw, (error) => {
    if (error instanceof Error && !hasClientGone(error)) onBrokenAnswer(request.id, error);
  });
  return undefined;
}

function webHeaders({ headers }: FastifyRequest): Headers {
  const own = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') own.set(name, value);
  }
  return own;
}

function hasClientGone({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ERR_STREAM_PREMATURE_CLOSE';
}

export const mcpRoutes = routesOf(operations, {
  callMcp: mcpRoute(operations.callMcp),
});
