import type { CallerName } from './memory-callers.ts';
import { MemoryServices } from './memory-services.ts';
import { openLog } from '#observe/logger.ts';
import type { HttpServerOptions } from '../options.ts';
import { createHttpServer, type HttpServer } from '../server.ts';

export interface TestServer extends AsyncDisposable {
  readonly services: MemoryServices;
  readonly server: HttpServer;
  readonly url: string;
  readonly port: number;
  /** Every record that was logged. */
  readonly records: Record<string, unknown>[];
  /** A request as somebody, with JSON unless `init` says otherwise. */
  request(method: string, path: string, init?: RequestOptions): Promise<TestResponse>;
}

export interface RequestOptions {
  readonly as?: CallerName;
  readonly json?: unknown;
  readonly body?: NonNullable<RequestInit['body']>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown;
}

/** A real server on a free port over services in memory. */
export async function startTestServer(
  options: Partial<HttpServerOptions> = {},
  level: 'info' | 'debug' = 'info',
  host = '127.0.0.1',
): Promise<TestServer> {
  const services = new MemoryServices();
  const records: Record<string, unknown>[] = [];
  const { logger } = openLog({
    level,
    folder: null,
    name: 'http',
    secrets: [],
    clock: { now: () => 0 },
    stderr: { write: (line) => void records.push(JSON.parse(line)) },
  });
  const server = await createHttpServer(services, {
    logger,
    corsOrigins: [],
    useHsts: false,
    redirectToHttps: false,
    trustedProxies: [],
    primaryAddress: null,
    ...options,
  });
  const { url, port } = await server.listen({ host, port: 0 });
  return {
    services,
    server,
    url,
    port,
    records,
    request: (method, path, init = {}) => send(url + path, method, init),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

async function send(url: string, method: string, init: RequestOptions): Promise<TestResponse> {
  const headers = new Headers(init.headers);
  if (init.as !== undefined) headers.set('authorization', `Bearer ${init.as}`);
  let { body } = init;
  if (init.json !== undefined) {
    body = JSON.stringify(init.json);
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
  }
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body, duplex: 'half' }),
    ...(init.signal === undefined ? {} : { signal: init.signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
