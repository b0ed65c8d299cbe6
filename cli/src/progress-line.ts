import { harmless, type TerminalOutput } from './terminal.ts';

/** How far work is and what it does, on one line of a terminal; elsewhere nothing is shown. */
export class ProgressLine {
  readonly #target: TerminalOutput;

  constructor(target: TerminalOutput) {
    this.#target = target;
  }

  /** `share` is from 0 to 1. */
  update(share: number, step: string): void {
    if (this.#target.isTTY !== true) return;
    const width = (this.#target.columns ?? 80) - 1;
    const text = `${String(Math.floor(share * 100)).padStart(3)} %  ${harmless(step)}`;
    this.#target.write(`\r\u001b[K${text.slice(0, width)}`);
  }

  /** Leaves the line to whatever is printed next. */
  clear(): void {
    if (this.#target.isTTY === true) this.#target.write('\r\u001b[K');
  }
}
