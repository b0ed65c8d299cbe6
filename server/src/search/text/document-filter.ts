import { type Candidates, documentOfBit } from './match-collectors.ts';
import { type FacetColumn, ordinalsStart } from './facet-column.ts';
import { NO_DOCUMENT } from './postings-cursor.ts';
import type { TextSegment } from './segment.ts';
import type { Tombstones } from './tombstones.ts';

/** Conditions besides the text. A document must meet all of them before it is scored. */
export interface SearchFilter {
  /** Ids of types. */
  readonly types?: ReadonlySet<number>;
  readonly allowed?: NodeSet;
  readonly denied?: NodeSet;
  /** From `fromMs` up to and without `toMs`. */
  readonly time?: { readonly fromMs: number; readonly toMs: number };
  /** For each column named, the document has one of the values. */
  readonly facets?: readonly { readonly column: number; readonly values: readonly string[] }[];
  /** Called last, for nodes that meet all other conditions. `type` is the id of its type. */
  readonly test?: (node: number, type: number) => boolean;
}

/** A filter in one segment. Deleted documents never pass. */
export class DocumentFilter {
  readonly #deleted: Uint32Array | undefined;
  readonly #allowed: Uint32Array | undefined;
  readonly #denied: Uint32Array | undefined;
  readonly #typeOf: Uint16Array;
  readonly #types: Uint8Array | undefined;
  readonly #timestampsMs: Float64Array;
  readonly #fromMs: number;
  readonly #toMs: number;
  readonly #hasTime: boolean;
  readonly #facets: readonly FacetCondition[];
  readonly #test: SearchFilter['test'];
  readonly #segment: TextSegment;
  /** All conditions are bits. */
  readonly isPlain: boolean;
  /** Some conditions are bits. */
  readonly hasBits: boolean;

  constructor(
    { segment, tombstones }: { readonly segment: TextSegment; readonly tombstones: Tombstones },
    filter: SearchFilter,
  ) {
    const { documents } = segment;
    this.#deleted = tombstones.deletedCount > 0 ? tombstones.bits : undefined;
    this.#allowed = filter.allowed?.bits(segment);
    this.#denied = filter.denied?.bits(segment);
    this.hasBits =
      this.#deleted !== undefined || this.#allowed !== undefined || this.#denied !== undefined;
    this.#typeOf = documents.types;
    const { types } = filter;
    if (types !== undefined) {
      this.#types = Uint8Array.from(documents.typeIds, (type) => (types.has(type) ? 1 : 0));
    }
    this.#timestampsMs = documents.timestampsMs;
    this.#hasTime = filter.time !== undefined;
    this.#fromMs = filter.time?.fromMs ?? 0;
    this.#toMs = filter.time?.toMs ?? 0;
    this.#facets = (filter.facets ?? []).map(
      ({ column, values }) => new FacetCondition(segment, column, values),
    );
    this.#test = filter.test;
    this.#segment = segment;
    this.isPlain =
      types === undefined && !this.#hasTime && this.#facets.length === 0 && !filter.test;
  }

  accepts(document: number): boolean {
    return this.acceptsBits(document) && this.meetsRest(document);
  }

  /** Whether a document is neither deleted nor denied. It must still pass `meetsRest`. */
  acceptsBits(document: number): boolean {
    const word = document >>> 5;
    const bit = 1 << (document & 31);
    if (this.#deleted !== undefined && (this.#deleted[word]! & bit) !== 0) return false;
    if (this.#allowed !== undefined && (this.#allowed[word]! & bit) === 0) return false;
    return this.#denied === undefined || (this.#denied[word]! & bit) === 0;
  }

  /** The first document from `document` on that is among the allowed nodes. */
  firstAllowed(document: number): number {
    const allowed = this.#allowed;
    if (allowed === undefined) return document;
    let word = document >>> 5;
    let bits = allowed[word]! & (-1 << (document & 31));
    while (bits === 0) {
      if (++word >= allowed.length) return NO_DOCUMENT;
      bits = allowed[word]!;
    }
    return documentOfBit(word, bits);
  }

  /** Clears the bits of deleted or denied documents. The others must still pass `meetsRest`. */
  acceptedBits(word: number, documents: number): number {
    let accepted = documents;
    if (this.#deleted !== undefined) accepted &= ~this.#deleted[word]!;
    if (this.#allowed !== undefined) accepted &= this.#allowed[word]!;
    if (this.#denied !== undefined) accepted &= ~this.#denied[word]!;
    return accepted;
  }

  /** Drops deleted or denied candidates. The others must still pass `meetsRest`. */
  keepAccepted(candidates: Candidates): void {
    if (!this.hasBits) return;
    const { documents, scores, size } = candidates;
    let kept = 0;
    for (let i = 0; i < size; i++) {
      const document = documents[i]!;
      if (!this.acceptsBits(document)) continue;
      documents[kept] = document;
      scores[kept++] = scores[i]!;
    }
    candidates.size = kept;
  }

  /** Whether a document meets the conditions that are no bits. */
  meetsRest(document: number): boolean {
    return this.isPlain || this.#meetsColumns(document);
  }

  #meetsColumns(document: number): boolean {
    if (this.#types !== undefined && this.#types[this.#typeOf[document]!] === 0) return false;
    if (this.#hasTime) {
      const timestampMs = this.#timestampsMs[document]!;
      if (timestampMs < this.#fromMs || timestampMs >= this.#toMs) return false;
    }
    return (
      this.#facets.every((condition) => condition.holds(document)) && this.#meetsTest(document)
    );
  }

  #meetsTest(document: number): boolean {
    if (this.#test === undefined) return true;
    const { nodes, types, typeIds } = this.#segment.documents;
    return this.#test(nodes[document]!, typeIds[types[document]!]!);
  }
}

class FacetCondition {
  readonly #column: FacetColumn | undefined;
  readonly #wanted: ReadonlySet<number>;

  constructor({ facets }: TextSegment, id: number, values: readonly string[]) {
    this.#column = facets.get(id);
    this.#wanted = new Set(values.map((value) => this.#column?.values.find(value) ?? -1));
  }

  holds(document: number): boolean {
    if (this.#column === undefined) return false;
    const end = ordinalsStart(this.#column, document + 1);
    for (let at = ordinalsStart(this.#column, document); at < end; at++) {
      if (this.#wanted.has(this.#column.ordinals[at]!)) return true;
    }
    return false;
  }
}

/**
 * Nodes that a search may find, or must not find. Keep it while it is valid: it computes the
 * documents of each segment once.
 */
export class NodeSet {
  readonly #nodes: Float64Array;
  readonly #bits = new WeakMap<TextSegment, Uint32Array>();

  /** Ascending ids. */
  constructor(nodes: Float64Array) {
    this.#nodes = nodes;
  }

  /** One bit for each document of the segment. */
  bits(segment: TextSegment): Uint32Array {
    let bits = this.#bits.get(segment);
    if (bits === undefined) this.#bits.set(segment, (bits = this.#compute(segment)));
    return bits;
  }

  #compute({ documents }: TextSegment): Uint32Array {
    const { byNode, nodes, count } = documents;
    const bits = new Uint32Array(Math.ceil(count / 32));
    let at = 0;
    for (const node of this.#nodes) {
      let step = 1;
      while (at + step < count && nodes[byNode[at + step]!]! < node) {
        at += step;
        step *= 2;
      }
      let high = Math.min(count, at + step + 1);
      while (at < high) {
        const middle = (at + high) >>> 1;
        if (nodes[byNode[middle]!]! < node) at = middle + 1;
        else high = middle;
      }
      if (at === count) break;
      for (let same = at; same < count && nodes[byNode[same]!] === node; same++) {
        const document = byNode[same]!;
        bits[document >>> 5]! |= 1 << (document & 31);
      }
    }
    return bits;
  }
}
