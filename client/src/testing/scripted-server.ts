import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { TransportOptions } from '../transport.ts';
import { TrellisClient } from '../trellis-client.ts';
import { TrellisError } from '../trellis-error.ts';

/** The address of a server with this listener, until the test ends. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Ends the connection instead of answering. */
  readonly reset?: boolean;
  /** Says nothing, ever. */
  readonly silent?: boolean;
}

/** A request with its body, which is read to the end. */
export async function readSeen(request: IncomingMessage): Promise<Seen> {
  const { method, url, headers } = request;
  return { method, url, headers, body: await text(request) };
}

export function answer(response: ServerResponse, reply: Reply): void {
  if (reply.silent === true) return;
  if (reply.reset === true) {
    response.destroy();
    return;
  }
  response.writeHead(reply.status ?? 200, reply.headers);
  if (reply.body === undefined) response.end();
  else response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
}

/**
 * A server that answers with the replies in order, the last one again and again; and a client that
 * does not wait long.
 */
export async function scripted(replies: readonly Reply[], options: Partial<TransportOptions> = {}) {
  const seen: Seen[] = [];
  const baseUrl = await listen(async (request, response) => {
    seen.push(await readSeen(request));
    answer(response, replies[Math.min(seen.length, replies.length) - 1] ?? {});
  });
  const client = new TrellisClient({ baseUrl, retry: { pauseMs: 1 }, ...options });
  return { client, seen, baseUrl };
}

/** The `TrellisError` that a call rejects with; anything else fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<TrellisError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TrellisError)) throw new Error(`no TrellisError: ${String(error)}`);
  return error;
}

/** An error body. */
export const refusal = (code: string) => ({
  error: { code, message: `no: ${code}` },
  traceId: 't1',
});
