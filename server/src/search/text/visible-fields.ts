import type { Segment } from './segment.ts';

/** Which fields of which documents of a segment may be matched. */
export class FieldMask {
  readonly #types: Uint16Array;
  readonly #fieldCount: number;
  /** One byte for each pair of type and field. */
  readonly #isVisible: Uint8Array;

  constructor({ documents }: Segment, isVisible: (type: number, field: number) => boolean) {
    this.#types = documents.types;
    const { ids } = documents.fields;
    this.#fieldCount = ids.length;
    this.#isVisible = new Uint8Array(documents.typeIds.length * ids.length);
    documents.typeIds.forEach((type, typeNumber) => {
      ids.forEach((field, number) => {
        if (isVisible(type, field)) this.#isVisible[typeNumber * ids.length + number] = 1;
      });
    });
  }

  has(document: number, field: number): boolean {
    return this.#isVisible[this.#types[document]! * this.#fieldCount + field] === 1;
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
