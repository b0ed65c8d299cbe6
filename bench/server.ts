import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';

const PASSWORD = 'bench password';
export const TRELLIS_MAIN = join(import.meta.dirname, '../server/dist/trellis.js');

/** A server in a process of its own, as `npm start` runs it. */
export interface BenchServer extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** From the start of the process to its ready line. */
  readonly startSeconds: number;
}

export interface BenchServerOptions {
  /** Further `MSK_*` variables. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The one processor that it may use. */
  readonly core?: number | undefined;
  /** The program, if it is not that of this checkout. */
  readonly main?: string;
}

export async function startServer(
  storage: string,
  sample: 'wordnet' | 'none',
  { settings = {}, core, main = TRELLIS_MAIN }: BenchServerOptions = {},
): Promise<BenchServer> {
  const started = performance.now();
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', main, 'serve'];
  const pinned = core === undefined ? command : ['taskset', '-c', String(core), ...command];
  const [program = '', ...args] = pinned;
  const child = spawn(program, args, {
    env: {
      ...process.env,
      MSK_PORT: '0',
      MSK_GRAPH_STORAGE: storage,
      MSK_ADMIN_PASSWORD: PASSWORD,
      MSK_LOG_LEVEL: 'warn',
      TRELLIS_SAMPLE: sample,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { url } = JSON.parse(await firstLine(child));
  const startSeconds = (performance.now() - started) / 1_000;
  const token = await signIn(url);
  return {
    url,
    token,
    pid: child.pid ?? 0,
    startSeconds,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

/** The first line that a child prints; rejects when it ends before. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const output = child.stdout;
    if (output === null) throw new Error('the output of the child is not a pipe');
    createInterface({ input: output }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the child ended with ${code}`)));
  });
}

async function signIn(url: string): Promise<string> {
  const answer = await post({ url, token: '' }, '/api/login/create', {
    user: 'admin',
    password: PASSWORD,
  });
  return String(Object(await answer.json()).token);
}

/** Throws when the answer is not a good one. */
export function post(
  server: { readonly url: string; readonly token: string },
  path: string,
  body: unknown,
): Promise<Response> {
  return send(server, 'POST', path, body);
}

/**
 * Until everything is indexed that was there when it was asked: what is measured is not to be
 * beside that.
 */
export async function untilIndexed(server: BenchServer): Promise<void> {
  const { headers } = await indexState(server);
  const committed = Number(headers.get('x-msk-sequence'));
  for (;;) {
    const { sequence, rebuild } = Object(await (await indexState(server)).json());
    // Without the sequence it would answer before an index that has just begun has got to
    // rebuilding.
    if (sequence !== null && sequence >= committed && rebuild === null) return;
    await setTimeout(100);
  }
}

function indexState(server: BenchServer): Promise<Response> {
  return fetch(new URL('/api/search/index', server.url), {
    headers: { authorization: `Bearer ${server.token}` },
  });
}

export async function putSchema(server: BenchServer, schema: unknown): Promise<void> {
  await send(server, 'PUT', '/api/schema', schema);
}

async function send(
  server: { readonly url: string; readonly token: string },
  method: 'POST' | 'PUT',
  path: string,
  body: unknown,
): Promise<Response> {
  const response = await fetch(new URL(path, server.url), {
    method,
    headers: {
      'content-type': 'application/json',
      ...(server.token === '' ? {} : { authorization: `Bearer ${server.token}` }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}
