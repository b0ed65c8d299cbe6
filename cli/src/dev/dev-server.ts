import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CommandFailure } from '../failure.ts';
import { harmless, type Tell, type Terminal } from '../terminal.ts';

interface DevServerOptions {
  /** Its data and the password of its administrator lie in `.trellis` there. */
  readonly folder: string;
  readonly port: string;
  readonly env: Terminal['env'];
  readonly tell: Tell;
  readonly signal: AbortSignal;
}

/** What people should see of its log while they write code. */
const LEVELS_SHOWN = ['warn', 'error', 'fatal'];

/** A server in a process of its own, for one folder, as `trellis serve` runs it. */
export class DevServer implements AsyncDisposable {
  readonly url: string;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  readonly #process: ChildProcess;
  readonly #password: string;

  private constructor(
    child: ChildProcess,
    ended: Promise<number | null>,
    url: string,
    password: string,
  ) {
    this.#process = child;
    this.ended = ended;
    this.url = url;
    this.#password = password;
  }

  /** Rejects when it ends before it is ready. */
  static async start({ folder, port, env, tell, signal }: DevServerOptions): Promise<DevServer> {
    const own = join(resolve(folder), '.trellis');
    mkdirSync(own, { recursive: true, mode: 0o700 });
    const password = keptPassword(join(own, 'password'));
    const program = fileURLToPath(new URL('../main.ts', import.meta.url));
    const args = ['serve', '--port', port, '--data', join(own, 'data'), '--sample', 'none'];
    const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
      env: { ...env, MSK_ADMIN_PASSWORD: password },
      stdio: ['ignore', 'pipe', 'pipe'],
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
    tell(
      { event: 'serving', url, pid: child.pid, user: 'admin', passwordFile: join(own, 'password') },
      `Serving ${url} (user admin, password in ${join(folder, '.trellis/password')})`,
    );
    return new DevServer(child, ended, url, password);
  }

  /** As its administrator. */
  async signIn(client: TrellisClient): Promise<void> {
    client.token = undefined;
    const session = await client.login.create({ user: 'admin', password: this.#password });
    client.token = session.token;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGTERM');
    await this.ended;
  }
}

/** Made at the first start, which makes the administrator. */
function keptPassword(file: string): string {
  if (!existsSync(file))
    writeFileSync(file, randomBytes(18).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
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
