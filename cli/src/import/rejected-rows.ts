import { appendFileSync, closeSync, fstatSync, openSync, realpathSync } from 'node:fs';
import { WrongUsage } from '../failure.ts';
import type { ImportSource, Reject } from './import-source.ts';

/** So many are shown where no file takes them. */
const EXAMPLES_MAX = 20;

/** The rows that an import skips. They are counted, and written to a file if there is one. */
export class RejectedRows implements Disposable {
  readonly #source: ImportSource;
  readonly #file: number | undefined;
  readonly examples: { readonly place: string; readonly problem: string }[] = [];
  count = 0;

  /** `isResumed` adds to what an earlier run wrote. Throws `WrongUsage`. */
  constructor(
    source: ImportSource,
    { path, input, isResumed }: { path?: string; input: string; isResumed: boolean },
  ) {
    this.#source = source;
    if (path !== undefined) this.#file = openRejects(path, input, isResumed ? 'a' : 'w');
  }

  add(unordered: readonly Reject[]): void {
    const { rejects: format } = this.#source;
    if (unordered.length === 0) return;
    const rejects = unordered.toSorted((left, right) => left.place - right.place);
    this.count += rejects.length;
    for (const { place, reason } of rejects.slice(0, EXAMPLES_MAX - this.examples.length)) {
      this.examples.push({ place: this.#source.locate(place), problem: reason });
    }
    if (this.#file === undefined || format === undefined) return;
    const head = fstatSync(this.#file).size === 0 ? format.head() : '';
    appendFileSync(this.#file, head + rejects.map((reject) => format.line(reject)).join(''));
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

function openRejects(path: string, input: string, flag: 'a' | 'w'): number {
  const written = realPathOf(path);
  if (written !== undefined && written === realPathOf(input)) {
    throw new WrongUsage('--rejects: that is the file to import', 'Name another file.');
  }
  try {
    return openSync(path, flag);
  } catch (error) {
    throw new WrongUsage(`--rejects: the file cannot be written: ${(error as Error).message}`);
  }
}

/** A file that is not there is no other. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
