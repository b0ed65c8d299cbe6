import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  /** Instead of JSON. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What answers, by `METHOD /path`; what has no answer is 404. */
export type Answers = Readonly<Record<string, (request: Request) => Answer | Promise<Answer>>>;

/**
 * As much of the service as a command needs to be tried without it; the real one is tried in test/.
 */
export async function startService(answers: Answers) {
  const requests: Request[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const bytes = await buffer(incoming);
    const isGzip = incoming.headers['content-encoding'] === 'gzip';
    const request = {
      method: incoming.method ?? '',
      path: (incoming.url ?? '').replace(/\?.*/, ''),
      headers: incoming.headers,
      body: (isGzip ? gunzipSync(bytes) : bytes).toString(),
    };
    requests.push(request);
    const answer = answers[`${request.method} ${request.path}`];
    const {
      status = 200,
      body,
      text,
      headers,
    } = await (answer?.(request) ?? refusal(404, 'route_not_found'));
    const common = { 'content-type': 'application/json', 'x-request-id': 'trace-1' };
    outgoing.writeHead(status, { ...common, ...headers });
    outgoing.end(text ?? (body === undefined ? '' : JSON.stringify(body)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

export function refusal(
  status: number,
  code: string,
  details?: Readonly<Record<string, unknown>>,
): Answer {
  return {
    status,
    body: { error: { code, message: `refused: ${code}`, details }, traceId: 'trace-1' },
  };
}
