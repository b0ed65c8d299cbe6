import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { openLog } from '#observe/logger.ts';
import { must } from '#base/assert.ts';
import { createHttpServer, type HttpServer, type HttpServerOptions } from '#http/server.ts';
import type { FrontEndFile, HttpServices } from '#http/services.ts';
import { userKey } from '#access/user-names.ts';
import { NO_MEMBERS } from '../member/member-role.ts';
import { withoutReplication } from '../replication/open-primary.ts';
import { ServedFrontEnd } from '../front-end/front-end-files.ts';
import { ServerStatus } from '../server-status.ts';
import { openTestParts, type CallerName, type TestParts } from './test-parts.ts';

export interface TestServerOptions extends Partial<HttpServerOptions> {
  readonly level?: 'info' | 'debug';
  readonly host?: string;
  /** Whether the graph is loaded; it is unless a test says otherwise. */
  readonly isReady?: boolean;
}

export interface TestServer extends AsyncDisposable {
  /** The real ones. What a test puts in the place of a method with `vi.spyOn` is gone after it. */
  readonly services: TestParts['services'] & HttpServices;
  readonly server: HttpServer;
  readonly url: string;
  readonly port: number;
  /** Every record that was logged. */
  readonly records: Record<string, unknown>[];
  /** Tokens by the name of who calls; the sessions are those of this server. */
  readonly tokens: Readonly<Record<CallerName, string>>;
  /** What it shows of a front end. */
  readonly frontEnd: { readonly files: Map<string, FrontEndFile>; replicaUrls: string };
  /** Commits something: the sequence goes on by one at least. */
  advance(): Promise<void>;
  /** A request as somebody, with JSON unless `init` says otherwise. */
  request(method: string, path: string, init?: RequestOptions): Promise<TestResponse>;
}

export interface RequestOptions {
  readonly as?: CallerName | undefined;
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

/**
 * To be called once at the top of a test file. Answers how to start HTTP on a free port, as often
 * as there are tests, over parts that are opened once: `const startServer = testServers();`
 */
export function testServers(): (options?: TestServerOptions) => Promise<TestServer> {
  let parts: TestParts | undefined;
  beforeAll(async () => {
    parts = await openTestParts();
  });
  afterEach(() => void vi.restoreAllMocks());
  afterAll(() => parts?.[Symbol.asyncDispose]());
  return (options = {}) => startServer(must(parts, 'parts, which a hook opens'), options);
}

async function startServer(
  parts: TestParts,
  { level = 'info', host = '127.0.0.1', isReady = true, ...options }: TestServerOptions,
): Promise<TestServer> {
  const records: Record<string, unknown>[] = [];
  const { logger } = openLog({
    level,
    folder: null,
    name: 'http',
    secrets: [],
    clock: { now: () => 0 },
    stderr: { write: (line) => void records.push(JSON.parse(line)) },
  });
  const tokens = parts.signIn();
  const frontEnd = { files: new Map<string, FrontEndFile>(), replicaUrls: '' };
  const services = servicesOf(parts, frontEnd, isReady);
  const server = await createHttpServer(services, {
    logger,
    corsOrigins: [],
    useHsts: false,
    redirectToHttps: false,
    trustedProxies: [],
    publicAddress: null,
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
    tokens,
    frontEnd,
    advance: async () => {
      const fields = { FullName: `User ${parts.sequence.get()}` };
      const change = { op: 'addOrUpdate', type: '_User', key: userKey('user'), fields } as const;
      await parts.commits.commit({ system: true, operations: [change] });
    },
    request: (method, path, { as, ...init } = {}) =>
      send(url + path, method, init, as && tokens[as]),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function servicesOf(
  { services, sequence, storage }: TestParts,
  frontEnd: TestServer['frontEnd'],
  isReady: boolean,
): TestServer['services'] {
  const replicas = withoutReplication();
  const replication = () => replicas.health();
  const role = 'primary';
  const status = new ServerStatus({ storage, role, replication, probes: {}, member: undefined });
  if (isReady) status.becomeReady();
  const nowhere = { list: refuse, run: refuse, verify: refuse, remove: refuse };
  return {
    ...services,
    status,
    replicas,
    members: NO_MEMBERS,
    backups: nowhere,
    frontEnd: new ServedFrontEnd(frontEnd.files, () => frontEnd.replicaUrls),
    sequence: () => sequence.get(),
    waitForSequence: (wanted, timeoutMs) => sequence.reach(wanted, timeoutMs),
  };
}

const refuse = (): Promise<never> => Promise.reject(new Error('no test of HTTP makes backups'));

async function send(
  url: string,
  method: string,
  init: Omit<RequestOptions, 'as'>,
  token: string | undefined,
): Promise<TestResponse> {
  const headers = new Headers(init.headers);
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
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
