import type { FacetColumn } from './facet-column.ts';
import type { TextSegment } from './segment.ts';

/** So large because opening a window for a few rare matches takes longer than scoring them. */
export const WINDOW_DOCUMENTS = 32_768;

/**
 * Possible hits of a segment, by ascending document, with scores so far. Reused for many batches.
 */
export class Candidates {
  size = 0;
  /** Whether scores are needed; else none are computed. */
  isScored = true;
  readonly documents = new Uint32Array(WINDOW_DOCUMENTS);
  readonly scores = new Float64Array(WINDOW_DOCUMENTS);

  /** Keeps those with a score of at least `minimum`. */
  keepFrom(minimum: number): void {
    const { documents, scores, size } = this;
    let kept = 0;
    for (let i = 0; i < size; i++) {
      const score = scores[i]!;
      if (score < minimum) continue;
      documents[kept] = documents[i]!;
      scores[kept++] = score;
    }
    this.size = kept;
  }
}

/** Sees all matches of a search, not only the best ones: for counts and histograms. */
export interface MatchCollector {
  /** The next matches are of this segment. */
  startSegment(segment: TextSegment): void;
  /** Matching documents, each once. The array is reused. */
  collect(documents: Uint32Array): void;
}

const NO_COUNTS = new Uint32Array();

/** Hands matches on to collectors, many at a time. */
export class Matches {
  total = 0;
  readonly #collectors: readonly MatchCollector[];
  readonly #batch: Uint32Array;
  #size = 0;

  /** `batch` is memory to work in, for no less than 32 documents. */
  constructor(collectors: readonly MatchCollector[], batch: Uint32Array) {
    this.#collectors = collectors;
    this.#batch = batch;
  }

  startSegment(segment: TextSegment): void {
    for (const collector of this.#collectors) collector.startSegment(segment);
  }

  add(document: number): void {
    this.total++;
    if (this.#collectors.length === 0) return;
    if (this.#size === this.#batch.length) this.#flush();
    this.#batch[this.#size++] = document;
  }

  addAll({ documents, size }: Candidates): void {
    if (this.#collectors.length === 0) this.total += size;
    else for (let i = 0; i < size; i++) this.add(documents[i]!);
  }

  /** 32 documents at once, a bit for each, from the document `word * 32` on. */
  addBits(word: number, documents: number): void {
    this.total += bitCount(documents);
    if (this.#collectors.length === 0) return;
    if (this.#size > this.#batch.length - 32) this.#flush();
    const batch = this.#batch;
    let size = this.#size;
    for (let rest = documents; rest !== 0; rest &= rest - 1) {
      batch[size++] = documentOfBit(word, rest);
    }
    this.#size = size;
  }

  endSegment(): void {
    if (this.#size > 0) this.#flush();
  }

  #flush(): void {
    const documents = this.#batch.subarray(0, this.#size);
    for (const collector of this.#collectors) collector.collect(documents);
    this.#size = 0;
  }
}

/** The document of the lowest bit that is set. */
export function documentOfBit(word: number, bits: number): number {
  return word * 32 + 31 - Math.clz32(bits & -bits);
}

function bitCount(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x5555_5555);
  count = (count & 0x3333_3333) + ((count >>> 2) & 0x3333_3333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** Counts matches by type. */
export class TypeCounts implements MatchCollector {
  readonly #counts = new Map<number, number>();
  #types: Uint16Array = new Uint16Array();
  #typeIds: Uint16Array = new Uint16Array();

  startSegment({ documents }: TextSegment): void {
    this.#types = documents.types;
    this.#typeIds = documents.typeIds;
  }

  collect(documents: Uint32Array): void {
    const counts = new Uint32Array(this.#typeIds.length);
    for (const document of documents) counts[this.#types[document]!]! += 1;
    counts.forEach((count, number) => addTo(this.#counts, this.#typeIds[number]!, count));
  }

  /** Id of a type -> how many, above 0. */
  counts(): ReadonlyMap<number, number> {
    return this.#counts;
  }
}

/** Counts matches by the values of a column; a document counts for each of its values. */
export class FacetCounts implements MatchCollector {
  readonly #id: number;
  readonly #counts = new Map<string, number>();
  #column: FacetColumn | undefined;
  #ofSegment = NO_COUNTS;

  constructor(column: number) {
    this.#id = column;
  }

  startSegment({ facets }: TextSegment): void {
    this.#addSegment();
    this.#column = facets.get(this.#id);
    // One more, for documents without a value, when each document has one number.
    this.#ofSegment =
      this.#column === undefined ? NO_COUNTS : new Uint32Array(this.#column.values.size + 1);
  }

  collect(documents: Uint32Array): void {
    if (this.#column === undefined) return;
    const { starts, ordinals } = this.#column;
    const counts = this.#ofSegment;
    if (starts.length === 0) {
      for (let i = 0; i < documents.length; i++) counts[ordinals[documents[i]!]!]! += 1;
      return;
    }
    for (const document of documents) {
      const end = starts[document + 1]!;
      for (let at = starts[document]!; at < end; at++) counts[ordinals[at]!]! += 1;
    }
  }

  /** Value -> how many, above 0. */
  counts(): ReadonlyMap<string, number> {
    this.#addSegment();
    this.#ofSegment = NO_COUNTS;
    return this.#counts;
  }

  #addSegment(): void {
    if (this.#column === undefined) return;
    const { values } = this.#column;
    for (let ordinal = 0; ordinal < values.size; ordinal++) {
      const count = this.#ofSegment[ordinal] ?? 0;
      if (count > 0) addTo(this.#counts, values.get(ordinal), count);
    }
  }
}

function addTo<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  if (count > 0) counts.set(key, (counts.get(key) ?? 0) + count);
}
