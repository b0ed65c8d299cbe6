import { SEVERAL_TYPES } from './document-table.ts';
import { ESCAPE } from './frequency-table.ts';
import type { TextSegment } from './segment.ts';

/** The mask has not asked yet. */
const UNKNOWN = 0;
/** The searcher sees the fields in no document. */
export const HIDDEN = 1;
/** The searcher sees the fields in every document. */
export const SEEN = 2;
/** It depends on the document. */
export const MIXED = 3;

type Coverage = typeof HIDDEN | typeof SEEN | typeof MIXED;

/** Which fields of which documents of a segment may be matched; asks on first use. */
export class FieldMask {
  /** By code of frequencies. */
  readonly #codes = new Uint8Array(ESCAPE + 1);
  readonly #segment: TextSegment;
  readonly #fieldCount: number;
  readonly #isVisible: (type: number, field: number) => boolean;
  /** One byte for each pair of type and field. */
  readonly #pairs: Uint8Array;

  constructor(segment: TextSegment, isVisible: (type: number, field: number) => boolean) {
    const { fields, typeIds } = segment.documents;
    this.#segment = segment;
    this.#fieldCount = fields.ids.length;
    this.#isVisible = isVisible;
    this.#pairs = new Uint8Array(typeIds.length * fields.ids.length);
  }

  has(document: number, field: number): boolean {
    return this.#ofPair(this.#segment.documents.types[document]!, field) === SEEN;
  }

  /** Whether the searcher sees the fields of all postings with this code. */
  coverage(code: number): number {
    const known = this.#codes[code]!;
    return known === UNKNOWN ? this.#compute(code) : known;
  }

  #compute(code: number): Coverage {
    if (code === ESCAPE) return MIXED;
    const { starts, fields } = this.#segment.frequencies;
    let coverage = this.#ofField(fields[starts[code]!]!);
    for (let i = starts[code]! + 1; i < starts[code + 1]!; i++) {
      if (this.#ofField(fields[i]!) !== coverage) coverage = MIXED;
    }
    this.#codes[code] = coverage;
    return coverage;
  }

  #ofField(field: number): Coverage {
    const type = this.#segment.documents.fields.types[field]!;
    return type === SEVERAL_TYPES ? MIXED : this.#ofPair(type, field);
  }

  #ofPair(type: number, field: number): typeof HIDDEN | typeof SEEN {
    const at = type * this.#fieldCount + field;
    const known = this.#pairs[at];
    if (known === HIDDEN || known === SEEN) return known;
    const { typeIds, fields } = this.#segment.documents;
    const found = this.#isVisible(typeIds[type]!, fields.ids[field]!) ? SEEN : HIDDEN;
    this.#pairs[at] = found;
    return found;
  }
}

/** The fields of each type that a searcher may see. Keep it: it reads a segment once. */
export class VisibleFields {
  readonly #isVisible: (type: number, field: number) => boolean;
  readonly #masks = new WeakMap<TextSegment, FieldMask>();

  /** Takes the ids of a type and of a field. */
  constructor(isVisible: (type: number, field: number) => boolean) {
    this.#isVisible = isVisible;
  }

  has(type: number, field: number): boolean {
    return this.#isVisible(type, field);
  }

  mask(segment: TextSegment): FieldMask {
    let mask = this.#masks.get(segment);
    if (mask === undefined) {
      this.#masks.set(segment, (mask = new FieldMask(segment, this.#isVisible)));
    }
    return mask;
  }

  /** A mask that hides all fields but `fields`. */
  maskOf(segment: TextSegment, fields: readonly number[]): FieldMask {
    const wanted = new Set(fields);
    return new FieldMask(
      segment,
      (type, field) => wanted.has(field) && this.#isVisible(type, field),
    );
  }
}
