import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { PROGRAM } from '../support/program.ts';
import type { ReadyLine } from '../support/trellis-process.ts';
import { mkdirSync, watch } from 'node:fs';

const WAIT_MS = 120_000;
const LINES_SHOWN = 30;
/** The answer to every request before the server is ready. */
const NOT_READY = /"code":"not_ready"/;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A server that may never become ready: what it says can be waited for, and its end. */
export class ServerProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #lines: string[] = [];
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly exited: Promise<Exit>;
  /** Rejects when the process ends before it. */
  readonly ready: Promise<ReadyLine>;
  #exit: Exit | undefined;

  /** `prefix` is a command that runs another one, such as `ip netns exec x`. */
  constructor(name: string, env: Readonly<Record<string, string>>, prefix: readonly string[] = []) {
    this.#name = name;
    const command = [...prefix, process.execPath, '--disable-warning=ExperimentalWarning', PROGRAM];
    const [program = '', ...args] = [...command, 'serve'];
    this.#child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error('the process has no output');
    createInterface({ input: stderr }).on('line', (line) => {
      if (NOT_READY.test(line)) return;
      this.#lines.push(line);
      this.#events.emit('line');
    });
    this.ready = new Promise<ReadyLine>((resolve, reject) => {
      createInterface({ input: stdout }).on('line', (line) => resolve(JSON.parse(line)));
      this.#events.once('exit', () => reject(this.#failure('ended before it was ready')));
    });
    this.ready.catch(() => undefined);
    this.exited = once(this.#child, 'close').then(([code, signal]) => {
      this.#exit = { code, signal };
      this.#events.emit('exit');
      return this.#exit;
    });
  }

  /** What it has written to stderr, but for requests that came too early. */
  get log(): string {
    return this.#lines.join('\n');
  }

  /** Throws when it could not be started. */
  get pid(): number {
    if (this.#child.pid === undefined) throw this.#failure('has no process');
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return this.#exit === undefined;
  }

  /** Undefined while it runs. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** The number of lines so far, for `waitForLine`. */
  get mark(): number {
    return this.#lines.length;
  }

  count(pattern: RegExp): number {
    return this.#lines.filter((line) => pattern.test(line)).length;
  }

  /**
   * The first line that matches, of those after `mark`. Rejects when the process ends without it.
   */
  async waitForLine(pattern: RegExp, mark = 0): Promise<RegExpExecArray> {
    const deadline = AbortSignal.timeout(WAIT_MS);
    for (let at = mark; ;) {
      for (; at < this.#lines.length; at++) {
        const match = pattern.exec(this.#lines[at] ?? '');
        if (match !== null) return match;
      }
      if (this.#exit !== undefined) throw this.#failure(`ended without a line ${pattern}`);
      await Promise.race([once(this.#events, 'line', { signal: deadline }), this.exited]).catch(
        () => {
          throw this.#failure(`wrote no line ${pattern} in time`);
        },
      );
    }
  }

  /** Its exit; kills it and throws when that takes too long. */
  async waitForExit(): Promise<Exit> {
    const timeout = setTimeout(() => this.#child.kill('SIGKILL'), WAIT_MS);
    const exit = await this.exited;
    clearTimeout(timeout);
    if (exit.signal !== null) throw this.#failure('did not end by itself');
    return exit;
  }

  /** Asks it to stop. */
  async stop(): Promise<Exit> {
    this.#child.kill('SIGTERM');
    return this.exited;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  /** Freezes it as a machine without processor time is; until `thaw`. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  #failure(what: string): Error {
    const { code, signal } = this.#exit ?? { code: null, signal: null };
    const end = this.isRunning ? 'running' : `exit ${code ?? signal}`;
    const tail = this.#lines.slice(-LINES_SHOWN).join('\n');
    return new Error(`${this.#name} ${what} (${end}):\n${tail}`);
  }
}

/**
 * Launches a process, and kills it when so many changes were seen in a folder, or when it is ready
 * or has ended by itself.
 */
export async function killAfterChanges(
  folder: string,
  changes: number,
  launch: () => ServerProcess,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const reached = Promise.withResolvers<void>();
  let count = 0;
  const watcher = watch(folder, { recursive: true }, () => {
    if (++count === changes) reached.resolve();
  });
  const launched = launch();
  await Promise.race([reached.promise, launched.ready.catch(() => undefined)]);
  watcher.close();
  await launched.kill();
}

/** 0xDEAD, of which Linux keeps the last byte (specification, section 7). */
export const EXIT_REPLICA_FAILED = 173;
/** What may end a replica when its network and its primary fail: never its own state. */
const EXPECTED =
  /"code":"(replication_unavailable|replication_corrupt|replica_not_registered|replication_epoch_differs|log_trimmed|log_ahead|snapshot_corrupt)"/;

/** Throws when a server has ended by itself for a reason that no fault of others explains. */
export function expectOrderlyEnd({ exit, log }: ServerProcess): void {
  if (exit === undefined || exit.code === 0) return;
  // From the test; before it listens for them a SIGTERM does what it does to anybody.
  if (exit.signal === 'SIGKILL' || exit.signal === 'SIGTERM') return;
  if (exit.code === EXIT_REPLICA_FAILED && EXPECTED.test(log)) return;
  throw new Error(`a server ended by itself with ${exit.code ?? exit.signal}:\n${log}`);
}
