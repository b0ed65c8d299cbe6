import { COUNTERS, contentOf } from '../workspace-state.ts';
import type { StateVersion } from '../workspace-state.ts';
import type { CommitHistory } from './commit-history.ts';

type Report = (message: string) => void;

/** Reads what each life of a replica serves, again and again, as a user would. */
export class ServingChecker {
  readonly #history: CommitHistory;
  readonly #report: Report;
  /** What was read last, by the name of the process. */
  readonly #seen = new Map<string, StateVersion>();

  constructor(history: CommitHistory, report: Report) {
    this.#history = history;
    this.#report = report;
  }

  read(name: string, version: StateVersion): void {
    const before = this.#seen.get(name);
    if (before === version) return;
    this.#seen.set(name, version);
    const { epoch, sequence, entries } = version;
    const [a, b] = COUNTERS.map((key) => entries.get(key));
    const place = `${name} at sequence ${sequence} of ${epoch}`;
    if (a !== b) this.#report(`${place} serves two commits at once: counters ${a} and ${b}`);
    if (before !== undefined && before.epoch !== epoch) {
      this.#report(`${place} served ${before.epoch} before`);
    }
    if (before !== undefined && before.sequence > sequence) {
      this.#report(`${place} goes back from ${before.sequence}`);
    }
    const expected = this.#history.contentAt(epoch, sequence);
    if (expected === undefined) this.#report(`${place} serves what no commit of the primary made`);
    else if (expected !== contentOf(version)) this.#report(`${place} serves another state`);
  }
}
