import { createInterface, type Interface } from 'node:readline';
import { addAbortSignal, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandFailure } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** Questions to the person at the terminal, on stderr so that stdout stays data. */
export class Prompt implements Disposable {
  readonly #terminal: Terminal;
  readonly #interface: Interface;
  /** Keeps what was typed before it was asked for. */
  readonly #lines: AsyncIterator<string>;
  /**
   * Hidden but while an answer may be seen: a password may be typed, or pasted, before it is asked
   * for.
   */
  #isHidden = true;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#isHidden) terminal.stderr.write(chunk.toString());
        done();
      },
    });
    const { stdin } = terminal;
    this.#interface = createInterface({
      input: stdin,
      output: echo,
      terminal: true,
      historySize: 0,
    });
    this.#lines = this.#interface[Symbol.asyncIterator]();
    this.#interface.on('line', () => {
      this.#isHidden = true;
    });
    // Ctrl-C; Ctrl-D closes by itself.
    this.#interface.on('SIGINT', () => this.#interface.close());
  }

  ask(question: string): Promise<string> {
    this.#isHidden = false;
    this.#interface.setPrompt(question);
    this.#interface.prompt();
    return this.#answer();
  }

  /** Shows nothing of what is typed. */
  async askHidden(question: string): Promise<string> {
    this.#terminal.stderr.write(question);
    try {
      return await this.#answer();
    } finally {
      this.#terminal.stderr.write('\n');
    }
  }

  async #answer(): Promise<string> {
    const { done, value } = await this.#lines.next();
    if (done === true) throw new CommandFailure('given up');
    return value;
  }

  [Symbol.dispose](): void {
    this.#interface.close();
  }
}

/** Everything that is piped in. */
export function readAll(terminal: Terminal): Promise<string> {
  return text(addAbortSignal(terminal.signal, terminal.stdin));
}
