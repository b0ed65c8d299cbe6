import type { LogRecord } from '@trellis/contract/shapes/log.ts';
import { headOf } from './log-lines.ts';

/**
 * How far a search has got, from newer records to older ones: to a time, and past how many of the
 * records that fit and have that time. So it finds its place again without what came before, as
 * long as the filter is the same.
 */
export class LogCursor {
  readonly #text: string | undefined;
  readonly #startMs: number | undefined;
  /** Records of the time of the start that earlier pages had. */
  #passedBefore: number;
  #ms: number;
  #passed: number;

  /** Of the text of a cursor; without one it begins with the newest record. */
  constructor(text?: string) {
    const [ms, passed] = (text ?? '').split('-').map(Number);
    this.#text = text;
    this.#startMs = text === undefined ? undefined : ms;
    this.#passedBefore = passed ?? 0;
    this.#ms = ms ?? 0;
    this.#passed = passed ?? 0;
  }

  /** Before which time (Unix epoch) what is left has to be, if it has to be before `toMs`. */
  before(toMs: number | undefined): number | undefined {
    if (this.#startMs === undefined) return toMs;
    return Math.min(this.#startMs + 1, toMs ?? Infinity);
  }

  /** Whether an earlier page had the record. Asked once for each. */
  isPassed({ at }: LogRecord): boolean {
    if (this.#passedBefore === 0 || Date.parse(at) !== this.#startMs) return false;
    this.#passedBefore--;
    return true;
  }

  pass({ at }: LogRecord): void {
    const ms = Date.parse(at);
    this.#passed = ms === this.#ms ? this.#passed + 1 : 1;
    this.#ms = ms;
  }

  /** All lines to this one have been looked at. */
  reach(line: string | undefined): void {
    const head = line === undefined ? undefined : headOf(line);
    const ms = head === undefined ? this.#ms : Date.parse(head.at);
    if (ms === this.#ms) return;
    this.#ms = ms;
    this.#passed = 0;
  }

  /** False while whoever goes on from here would only see again what there was before. */
  get hasMoved(): boolean {
    return this.toString() !== this.#text;
  }

  toString(): string {
    return `${this.#ms}-${this.#passed}`;
  }
}
