/**
 * Where a progress bar is drawn; a terminal gets one line that is drawn over, anything else a line
 * at each tenth.
 */
export interface ProgressTarget {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const CELLS = 30;

export class ProgressBar {
  readonly #target: ProgressTarget;
  readonly #label: string;
  #lastTenth = -1;

  constructor(target: ProgressTarget, label: string) {
    this.#target = target;
    this.#label = label;
  }

  update(done: number, total: number): void {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const text = `${this.#label} ${bar(share)} ${Math.floor(share * 100)} % of ${total.toLocaleString('en')}`;
    if (this.#target.isTTY === true) {
      this.#target.write(`\r${text}`);
      return;
    }
    const tenth = Math.floor(share * 10);
    if (tenth === this.#lastTenth) return;
    this.#lastTenth = tenth;
    this.#target.write(`${text}\n`);
  }

  finish(summary: string): void {
    const clear = this.#target.isTTY === true ? '\r\u001b[K' : '';
    this.#target.write(`${clear}${this.#label} ${summary}\n`);
  }
}

function bar(share: number): string {
  const full = Math.round(share * CELLS);
  return `[${'█'.repeat(full)}${'░'.repeat(CELLS - full)}]`;
}
