import { harmless, type TerminalOutput } from './terminal.ts';

export interface Progress {
  /** From 0 to 1; undefined when nobody knows how much there is. */
  readonly share: number | undefined;
  readonly done: number;
}

const CELLS = 24;
/** Between two lines where there is no terminal to draw on. */
const LINE_EVERY_MS = 5_000;

/**
 * Progress with rate and time left: on a terminal one line that is drawn over, elsewhere a line
 * every few seconds.
 */
export class ProgressBar {
  readonly #target: TerminalOutput;
  readonly #label: string;
  readonly #now: () => number;
  readonly #unit: string;
  readonly #startedAt: number;
  #first: Progress | undefined;
  #lineAt: number;

  /** `now` gives milliseconds; rates and times left are by it. `unit` is what is counted. */
  constructor(target: TerminalOutput, label: string, now: () => number, unit = 'operations') {
    this.#target = target;
    this.#label = label;
    this.#now = now;
    this.#unit = unit;
    this.#startedAt = now();
    this.#lineAt = this.#startedAt;
  }

  /** The first call gives the place where this run began. */
  update(progress: Progress): void {
    this.#first ??= progress;
    if (this.#target.isTTY === true) {
      drawLine(this.#target, this.#text(progress));
    } else if (this.#now() - this.#lineAt >= LINE_EVERY_MS) {
      this.#lineAt = this.#now();
      this.#target.write(`${this.#text(progress)}\n`);
    }
  }

  /** Leaves the line to whatever is printed next. */
  clear(): void {
    clearLine(this.#target);
  }

  #text({ share, done }: Progress): string {
    const seconds = (this.#now() - this.#startedAt) / 1_000;
    const rate = seconds > 0 ? (done - (this.#first?.done ?? 0)) / seconds : 0;
    const parts = [`${done.toLocaleString('en')} ${this.#unit}`];
    if (rate > 0) parts.push(`${Math.round(rate).toLocaleString('en')}/s`);
    if (share === undefined) return [this.#label, ...parts].join('  ');
    const gained = share - (this.#first?.share ?? 0);
    if (gained > 0 && share < 1) parts.push(`${clock((seconds * (1 - share)) / gained)} left`);
    const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
    return [this.#label, bar(share), percent, ...parts].join('  ');
  }
}

function bar(share: number): string {
  const full = Math.round(Math.min(1, share) * CELLS);
  return `[${'█'.repeat(full)}${'░'.repeat(CELLS - full)}]`;
}

function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return whole < 3_600 ? parts.join(':') : `${Math.floor(whole / 3_600)}:${parts.join(':')}`;
}

/** How far work is and what it does, on one line of a terminal; elsewhere nothing is shown. */
export class ProgressLine {
  readonly #target: TerminalOutput;

  constructor(target: TerminalOutput) {
    this.#target = target;
  }

  /** `share` is from 0 to 1. */
  update(share: number, step: string): void {
    if (this.#target.isTTY !== true) return;
    drawLine(this.#target, `${String(Math.floor(share * 100)).padStart(3)} %  ${harmless(step)}`);
  }

  /** Leaves the line to whatever is printed next. */
  clear(): void {
    clearLine(this.#target);
  }
}

/** Draws over the last line of a terminal, as far as it is wide. */
function drawLine(target: TerminalOutput, text: string): void {
  target.write(`\r\u001b[K${text.slice(0, (target.columns ?? 80) - 1)}`);
}

/** Empties the last line of a terminal; does nothing elsewhere. */
export function clearLine(target: TerminalOutput): void {
  if (target.isTTY === true) target.write('\r\u001b[K');
}
