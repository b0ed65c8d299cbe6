import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PROGRAM } from './program.ts';

type Line = Readonly<Record<string, unknown>>;

/** A command that goes on until it is stopped, as a process, line by line. */
export class RunningCommand implements AsyncDisposable {
  readonly #child;
  readonly #lines: AsyncIterator<string>;
  stderr = '';

  /** With `script` it runs in a pseudo terminal, where Ctrl-C is a character that is typed. */
  constructor(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    { isAtTerminal = false } = {},
  ) {
    const command = [process.execPath, '--disable-warning=ExperimentalWarning', PROGRAM, ...args];
    const [program = '', ...rest] = isAtTerminal
      ? ['script', '--quiet', '--return', '--command', `exec ${command.join(' ')}`, '/dev/null']
      : command;
    this.#child = spawn(program, rest, { env: { PATH: process.env['PATH'], ...env } });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The next line that fits; those before it are passed over. */
  async line(fits: (line: string) => boolean): Promise<string> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done === true) throw new Error(`it has ended: ${this.stderr}`);
      if (fits(value)) return value;
    }
  }

  async event(name: string): Promise<Line> {
    return JSON.parse(await this.line((line) => JSON.parse(line).event === name));
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  async interrupt(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    this.#child.kill(signal);
    return this.ended();
  }

  async ended(): Promise<number | null> {
    if (this.isRunning) await once(this.#child, 'exit');
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isRunning) await this.interrupt('SIGTERM');
  }
}
