import { FIELDS_MAX } from '../frequency-table.ts';
import { documentOfBit } from '../match-collectors.ts';
import { SteppingCursor } from '../phrase-cursor.ts';
import { NO_DOCUMENT } from '../postings-cursor.ts';
import type { TextSegment } from '../segment.ts';
import type { AskedName } from '../text-query.ts';

/** Takes the ids of a type and of a field. */
type SeesField = (type: number, field: number) => boolean;

/** Visits documents by their names in fields that may be seen. A name adds nothing to scores. */
export class NameCursor extends SteppingCursor {
  document: number;
  readonly cost: number;
  readonly scoreMax = 0;
  /** Ascending. */
  readonly #documents: Uint32Array;
  #index = 0;

  constructor(segment: TextSegment, names: readonly AskedName[], sees: SeesField) {
    super();
    this.#documents = documentsNamed(segment, names, sees);
    this.cost = this.#documents.length;
    this.document = this.#documents[0] ?? NO_DOCUMENT;
  }

  seek(document: number): void {
    if (this.document >= document) return;
    const documents = this.#documents;
    let low = this.#index + 1;
    let step = 1;
    while (low + step < documents.length && documents[low + step]! < document) {
      low += step;
      step *= 2;
    }
    let high = Math.min(documents.length, low + step + 1);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (documents[middle]! < document) low = middle + 1;
      else high = middle;
    }
    this.#index = low;
    this.document = documents[low] ?? NO_DOCUMENT;
  }

  score(): number {
    return 0;
  }

  /** All of it is one block. */
  lookAhead(): void {}

  blockScoreMax(): number {
    return 0;
  }

  blockLast(): number {
    return NO_DOCUMENT;
  }
}

/** With a document in this many or more, sorting takes longer than going through bits. */
const SPARSE_DOCUMENTS = 64;

/** Each document once, ascending. */
function documentsNamed(
  segment: TextSegment,
  names: readonly AskedName[],
  sees: SeesField,
): Uint32Array {
  const { types, typeIds, count } = segment.documents;
  const ranges = names.map((name) => segment.names.entriesMeant(name));
  const found = new Uint32Array(ranges.reduce((sum, [from, to]) => sum + to - from, 0));
  const known = new Map<number, boolean>();
  let size = 0;
  const add = (document: number, field: number): boolean => {
    const type = types[document]!;
    const pair = type * FIELDS_MAX + field;
    let isSeen = known.get(pair);
    if (isSeen === undefined) known.set(pair, (isSeen = sees(typeIds[type]!, field)));
    if (isSeen) found[size++] = document;
    return false;
  };
  for (const range of ranges) segment.names.someEntry(range, add);
  const documents = found.subarray(0, size);
  if (size * SPARSE_DOCUMENTS > count) return throughBits(documents, count);
  documents.sort();
  return withoutRepeats(documents);
}

function throughBits(documents: Uint32Array, count: number): Uint32Array {
  const bits = new Uint32Array(Math.ceil(count / 32));
  for (const document of documents) bits[document >>> 5]! |= 1 << (document & 31);
  let size = 0;
  bits.forEach((all, word) => {
    for (let rest = all; rest !== 0; rest &= rest - 1) {
      documents[size++] = documentOfBit(word, rest);
    }
  });
  return documents.subarray(0, size);
}

function withoutRepeats(documents: Uint32Array): Uint32Array {
  let size = 0;
  for (const document of documents) {
    if (size === 0 || documents[size - 1] !== document) documents[size++] = document;
  }
  return documents.subarray(0, size);
}
