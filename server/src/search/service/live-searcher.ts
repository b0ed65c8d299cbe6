import { systemClock } from '#base/clock.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { WantedText } from '../embeddings/embed-texts.ts';
import { IndexFollower } from '../indexing/index-follower.ts';
import { TEXT_INDEX_LIMITS, TextIndex } from '../text/text-index.ts';
import type { SearchSnapshot } from '../indexing/search-snapshot.ts';
import type { VectorIndexer } from '../indexing/vectors/vector-indexer.ts';
import { Searcher } from './searcher.ts';

const NO_LOG = {
  firstSequence: 1,
  lastSequence: 0,
  async *read(): AsyncGenerator<never> {},
};

const VECTORS_OF_A_SMALL_GRAPH = 4_096;
const DRAWS = 2 ** 30;

/** Searches a small graph without an index thread: it indexes all of it again after a change. */
export class LiveSearcher {
  readonly #reader: StateReader;
  readonly #searcher: Searcher;
  #index = new TextIndex(TEXT_INDEX_LIMITS);
  #sequence = -1;
  #draws = 0;
  #vectors: VectorIndexer | undefined;

  constructor(reader: StateReader) {
    this.#reader = reader;
    this.#searcher = new Searcher({
      reader,
      now: () => systemClock.now(),
    });
  }

  /** A searcher at the commit that the reader stands at. */
  current(): Searcher {
    const { sequence } = this.#reader;
    if (sequence === this.#sequence) return this.#searcher;
    this.#sequence = sequence;
    this.#searcher.receive(this.snapshot());
    return this.#searcher;
  }

  /** Up to `max` distinct texts without a vector. */
  wantedTexts(max: number): readonly WantedText[] {
    this.current();
    return this.#vectors?.nextTexts(max) ?? [];
  }

  /** Everything indexed at the reader's commit. */
  snapshot(): SearchSnapshot {
    this.#index = this.#index.successor();
    const follower = new IndexFollower({
      reader: this.#reader,
      log: NO_LOG,
      index: this.#index,
      clock: systemClock,
      progress: undefined,
      vectors: { random: () => this.#draw(), capacity: VECTORS_OF_A_SMALL_GRAPH },
      keptVectors: undefined,
    });
    follower.rebuild();
    this.#vectors = follower.vectors;
    return follower.snapshot();
  }

  /** A fixed series of different numbers: with so few vectors nothing needs chance. */
  #draw(): number {
    this.#draws = (this.#draws + 1) % DRAWS;
    return this.#draws / DRAWS;
  }
}
