import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CleanRoot } from '../support/clean-root.ts';

const READY = /"event":"ready"/;

/** What a reader types into one terminal, one block after the other, in one shell. */
export class Terminal implements AsyncDisposable {
  readonly #shell: ChildProcessWithoutNullStreams;
  readonly #folder: string;
  readonly #root: string;
  #output = '';
  #onOutput: () => void = () => undefined;
  #blocks = 0;

  /**
   * The folder is for the blocks, which the shell reads from files. With a root, both folders are
   * within it.
   */
  constructor(
    folder: string,
    cwd: string,
    env: Readonly<Record<string, string | undefined>>,
    root?: CleanRoot,
  ) {
    this.#folder = folder;
    this.#root = root?.path ?? '';
    const shell = ['bash', '--norc'] as const;
    const [program, ...args] = root === undefined ? shell : [...root.enter(), ...shell];
    // A process group of its own, so that what still runs ends with the terminal.
    this.#shell = spawn(program, args, {
      cwd: join(this.#root, cwd),
      env: { ...env },
      detached: true,
    });
    this.#shell.stdin.write(`cd '${cwd}'\n`);
    this.#shell.stdin.write("set -o pipefail; trap 'failed=$?' ERR\n");
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#onOutput();
      });
    }
    this.#shell.on('close', () => this.#onOutput());
  }

  /**
   * Runs a block until it ends; gives the exit code of its last command that failed, and all that
   * it printed.
   */
  async run(commands: string): Promise<{ readonly code: number; readonly output: string }> {
    const end = `-- end ${this.#blocks} `;
    const output = await this.#type(
      commands,
      `echo "${end}$failed"`,
      new RegExp(`${end}(\\d+)\\n`),
    );
    return { code: Number(output.match(/ (\d+)\n$/)?.[1]), output };
  }

  /** The same with a keyboard, at which `typed` is typed when a command asks. */
  async answer(commands: string, typed: string): ReturnType<Terminal['run']> {
    const file = join(this.#folder, `answered-${this.#blocks}.sh`);
    await writeFile(join(this.#root, file), commands);
    return this.run(
      `printf '%s\\n' '${typed}' | script --quiet --return --command "bash -e '${file}'" /dev/null`,
    );
  }

  /** Starts a server, and resolves with what it has said when it is ready. */
  async start(commands: string): Promise<string> {
    const end = `-- end ${this.#blocks}`;
    const output = await this.#type(
      commands,
      `echo "${end}"`,
      new RegExp(`${READY.source}|${end}\n`),
    );
    if (!READY.test(output))
      throw new Error(`the server ended:
${output}`);
    return output;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid, exitCode } = this.#shell;
    if (pid === undefined || exitCode !== null) return;
    const closed = once(this.#shell, 'close');
    process.kill(-pid, 'SIGTERM');
    this.#shell.stdin.end();
    await closed;
  }

  async #type(commands: string, after: string, until: RegExp): Promise<string> {
    const file = join(this.#folder, `block-${this.#blocks++}-${process.hrtime.bigint()}.sh`);
    await writeFile(join(this.#root, file), commands);
    const from = this.#output.length;
    // Each block in the shell itself, which keeps its folder and variables.
    this.#shell.stdin.write(`failed=0; . '${file}' < /dev/null; ${after}\n`);
    return new Promise((resolve, reject) => {
      this.#onOutput = () => {
        const output = this.#output.slice(from);
        if (until.test(output)) resolve(output);
        else if (this.#shell.exitCode !== null) reject(new Error(`the shell ended:\n${output}`));
      };
      this.#onOutput();
    });
  }
}
