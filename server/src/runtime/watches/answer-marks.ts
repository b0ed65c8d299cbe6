import { WATCH_MARKS_MAX } from '#base/watch-limits.ts';

/** As which ids the last answer to a question was given. */
interface Mark {
  readonly digest: string;
  readonly sequences: readonly number[];
}

const SEQUENCES_KEPT_MAX = 32;

/**
 * Knows for a while as of which commits the last answer to a question was given, also when nobody
 * watches it any more: whoever comes back after one of them has that answer.
 */
export class AnswerMarks {
  readonly #marks = new Map<string, Mark>();

  /** The answer was given as that of a sequence. */
  note(
    question: string,
    { digest, sequence }: { readonly digest: string; readonly sequence: number },
  ) {
    const mark = this.#marks.get(question);
    const before = mark?.digest === digest ? mark.sequences : [];
    this.#marks.delete(question);
    const sequences = before.at(-1) === sequence ? before : [...before, sequence];
    this.#marks.set(question, { digest, sequences: sequences.slice(-SEQUENCES_KEPT_MAX) });
    if (this.#marks.size <= WATCH_MARKS_MAX) return;
    const [oldest] = this.#marks.keys();
    if (oldest !== undefined) this.#marks.delete(oldest);
  }

  has(question: string, digest: string, sequence: number): boolean {
    const mark = this.#marks.get(question);
    return mark?.digest === digest && mark.sequences.includes(sequence);
  }
}
