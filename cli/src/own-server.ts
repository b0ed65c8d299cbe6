import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CommandFailure } from './failure.ts';
import { harmless, type Tell, type Terminal } from './terminal.ts';

export interface OwnServerOptions {
  /** The storage folder. */
  readonly data: string;
  readonly port: string;
  readonly env: Terminal['env'];
  /** Its administrator. */
  readonly user: string;
  readonly password: string;
  readonly tell: Tell;
  readonly signal: AbortSignal;
}

/** What people should see of its log while they work with it. */
const LEVELS_SHOWN = ['warn', 'error', 'fatal'];

/** A server in a process of its own, as `trellis serve` runs it, for as long as a command runs. */
export class OwnServer implements AsyncDisposable {
  readonly url: string;
  readonly pid: number | undefined;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  readonly #process: ChildProcess;
  readonly #account: Pick<OwnServerOptions, 'user' | 'password'>;

  private constructor(
    child: ChildProcess,
    ended: Promise<number | null>,
    url: string,
    account: Pick<OwnServerOptions, 'user' | 'password'>,
  ) {
    this.#process = child;
    this.pid = child.pid;
    this.ended = ended;
    this.url = url;
    this.#account = account;
  }

  /** Rejects when it ends before it is ready. */
  static async start(options: OwnServerOptions): Promise<OwnServer> {
    const { data, port, env, user, password, tell, signal } = options;
    const program = fileURLToPath(new URL('./main.ts', import.meta.url));
    const args = ['serve', '--port', port, '--data', data, '--sample', 'none'];
    const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
      env: { ...env, MSK_ADMIN_PASSWORD: password },
      // Its stdin ends with this process: see `serve`.
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit').then(([code]) => code as number | null);
    // What it tells a person at its start is for those who start it themselves.
    const early: string[] = [];
    let sayLine = (line: string): void => void early.push(line);
    createInterface({ input: child.stderr }).on('line', (line) => sayLine(line));
    const stop = (): void => void child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    const ready = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
    const first = await Promise.race([ready, ended]);
    if (!Array.isArray(first)) {
      signal.throwIfAborted();
      for (const line of early) tellLine(tell, line);
      throw new CommandFailure(`the server could not start (exit code ${first})`, {
        hint: 'If its port is taken, name another one with --port.',
      });
    }
    sayLine = (line) => tellLine(tell, line);
    const { url } = JSON.parse(first[0]) as { url: string };
    return new OwnServer(child, ended, url, { user, password });
  }

  /** As its administrator. */
  async signIn(client: TrellisClient): Promise<void> {
    client.token = undefined;
    const session = await client.login.create(this.#account);
    client.token = session.token;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin?.end();
    this.#process.kill('SIGTERM');
    await this.ended;
  }
}

/** Warnings and worse of its log, and all that is no record of it. */
function tellLine(tell: Tell, line: string): void {
  const record = recordOf(line);
  if (record === undefined) tell({ event: 'server', message: line }, harmless(line));
  else if (LEVELS_SHOWN.includes(record.level)) {
    tell({ event: 'server', message: record.msg }, `server: ${harmless(record.msg)}`);
  }
}

function recordOf(line: string): { readonly level: string; readonly msg: string } | undefined {
  try {
    const { level, msg } = JSON.parse(line) as { level?: unknown; msg?: unknown };
    return { level: String(level), msg: String(msg) };
  } catch {
    return undefined;
  }
}
