import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PROGRAM } from './program.ts';

export const ADMIN_PASSWORD = 'correct horse battery';

export interface StartOptions {
  readonly storage: string;
  /** Beyond the defaults of a test: no sample, any free port, a known password. */
  readonly env?: Readonly<Record<string, string>>;
  /** Options of the command. */
  readonly args?: readonly string[];
  /** The file of another program than that of all tests. */
  readonly program?: string;
  /** Begins the command line instead of Node with a program: one that was installed. */
  readonly command?: readonly string[];
}

/** A real server in a process of its own, as `npm start` runs it. */
export class TrellisProcess implements AsyncDisposable {
  readonly url: string;
  readonly ready: ReadyLine;
  readonly process: ChildProcess;
  readonly #output: Output;

  private constructor(child: ChildProcess, ready: ReadyLine, output: Output) {
    this.process = child;
    this.ready = ready;
    this.url = ready.url;
    this.#output = output;
  }

  static async start(options: StartOptions): Promise<TrellisProcess> {
    const { child, output } = launch(options);
    const ready = await new Promise<ReadyLine>((resolve, reject) => {
      output.onLine = (line) => resolve(JSON.parse(line));
      child.once('exit', (code) =>
        reject(new Error(`the server ended with ${code} before it was ready:\n${output.stderr}`)),
      );
    });
    return new TrellisProcess(child, ready, output);
  }

  /** Starts a server that is expected to refuse; answers with its exit code and what it said. */
  static async startRefused(
    options: StartOptions,
  ): Promise<{ code: number | null; stderr: string }> {
    const { child, output } = launch(options);
    output.onLine = () => child.kill('SIGKILL');
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stderr: output.stderr };
  }

  get stdoutLines(): readonly string[] {
    return this.#output.stdoutLines;
  }

  get stderr(): string {
    return this.#output.stderr;
  }

  get isRunning(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Asks the server to stop and answers with its exit code. */
  async stop(): Promise<number | null> {
    if (!this.isRunning) return this.process.exitCode;
    const closed = once(this.process, 'close');
    this.process.kill('SIGTERM');
    await closed;
    return this.process.exitCode;
  }

  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const closed = once(this.process, 'close');
    this.process.kill('SIGKILL');
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

export interface ReadyLine {
  readonly event: 'ready';
  readonly url: string;
  readonly role: string;
  readonly uid: string;
}

interface Output {
  stderr: string;
  readonly stdoutLines: string[];
  onLine: (line: string) => void;
}

function launch(options: StartOptions): { child: ChildProcess; output: Output } {
  const { program = PROGRAM, args = [] } = options;
  const [command = '', ...before] = options.command ?? [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    program,
  ];
  const child = spawn(command, [...before, 'serve', ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      MSK_PORT: '0',
      MSK_REPLICATION_PORT: '0',
      MSK_GRAPH_STORAGE: options.storage,
      MSK_ADMIN_PASSWORD: ADMIN_PASSWORD,
      TRELLIS_SAMPLE: 'none',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: Output = { stderr: '', stdoutLines: [], onLine: () => undefined };
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  createInterface({ input: child.stdout }).on('line', (line) => {
    output.stdoutLines.push(line);
    output.onLine(line);
  });
  return { child, output };
}

/** A folder of its own, gone when the scope ends. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'trellis-test-'));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
