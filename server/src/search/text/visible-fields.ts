import { SEVERAL_TYPES } from './document-table.ts';
import { ESCAPE } from './frequency-table.ts';
import type { Segment } from './segment.ts';

/** Of what a mask says of a pair of type and field, or of all fields of a code: nothing yet, or one of these. */
const UNKNOWN = 0;
/** It may be seen in no document, or in all of them. */
export const HIDDEN = 1;
export const SEEN = 2;
/** Documents differ. */
export const MIXED = 3;

type Coverage = typeof HIDDEN | typeof SEEN | typeof MIXED;

/** Which fields of which documents of a segment may be matched. It asks when it first has to know. */
export class FieldMask {
  /** By code of frequencies. */
  readonly #codes = new Uint8Array(ESCAPE + 1);
  readonly #segment: Segment;
  readonly #fieldCount: number;
  readonly #isVisible: (type: number, field: number) => boolean;
  /** One byte for each pair of type and field. */
  readonly #pairs: Uint8Array;

  constructor(segment: Segment, isVisible: (type: number, field: number) => boolean) {
    const { fields, typeIds } = segment.documents;
    this.#segment = segment;
    this.#fieldCount = fields.ids.length;
    this.#isVisible = isVisible;
    this.#pairs = new Uint8Array(typeIds.length * fields.ids.length);
  }

  has(document: number, field: number): boolean {
    return this.#ofPair(this.#segment.documents.types[document]!, field) === SEEN;
  }

  /** Of all postings with this code. */
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

/**
 * The fields of each type that a searcher may see. Worth keeping for as long as that holds: segments are looked at
 * once.
 */
export class VisibleFields {
  readonly #isVisible: (type: number, field: number) => boolean;
  readonly #masks = new WeakMap<Segment, FieldMask>();

  /** Takes the ids of a type and of a field. */
  constructor(isVisible: (type: number, field: number) => boolean) {
    this.#isVisible = isVisible;
  }

  mask(segment: Segment): FieldMask {
    let mask = this.#masks.get(segment);
    if (mask === undefined) {
      this.#masks.set(segment, (mask = new FieldMask(segment, this.#isVisible)));
    }
    return mask;
  }

  /** Only those of `fields` among them. */
  maskOf(segment: Segment, fields: readonly number[]): FieldMask {
    const wanted = new Set(fields);
    return new FieldMask(
      segment,
      (type, field) => wanted.has(field) && this.#isVisible(type, field),
    );
  }
}
