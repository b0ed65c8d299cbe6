import { systemClock } from '#base/clock.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { IndexFollower } from '../indexing/index-follower.ts';
import { TEXT_INDEX_LIMITS } from '../indexing/text-index-limits.ts';
import { TextIndex } from '../text/text-index.ts';
import { Searcher } from './searcher.ts';

const NO_LOG = {
  firstSequence: 1,
  lastSequence: 0,
  async *read(): AsyncGenerator<never> {},
};

/** Searches a small graph without a thread that indexes: all of it is indexed again when it has changed. */
export class LiveSearcher {
  readonly #reader: StateReader;
  readonly #searcher: Searcher;
  #index = new TextIndex(TEXT_INDEX_LIMITS);
  #sequence = -1;

  constructor(reader: StateReader) {
    this.#reader = reader;
    this.#searcher = new Searcher({
      reader,
      now: () => systemClock.now(),
    });
  }

  /** Of the commit that the reader stands at. */
  current(): Searcher {
    const { sequence } = this.#reader;
    if (sequence === this.#sequence) return this.#searcher;
    this.#sequence = sequence;
    this.#index = this.#index.successor();
    const follower = new IndexFollower({
      reader: this.#reader,
      log: NO_LOG,
      index: this.#index,
      clock: systemClock,
      progress: undefined,
    });
    follower.rebuild();
    this.#searcher.receive(follower.snapshot());
    return this.#searcher;
  }
}
