/** Code of a posting whose frequencies are not in the table but written out in its block. */
export const ESCAPE = 255;
export const FIELDS_MAX = 1_024;
/** More occurrences of a term in one field of one document count as this many. */
export const FREQUENCY_MAX = 2 ** 22 - 1;
/** Combinations beyond this many are not counted; they are rare and get no code. */
const COMBINATIONS_MAX = 2 ** 21 - 1;

/**
 * Few combinations of fields and frequencies are common, such as once in the text, or once in the
 * title and twice in the text. A segment gives its 255 most frequent combinations a code of one
 * byte: postings are short, and a cursor can jump to any document of a block.
 */
export class FrequencyTable {
  /** Code -> where its fields begin; one more than there are codes. */
  readonly starts: Uint32Array;
  /** Numbers of fields within the segment, ascending for each code. */
  readonly fields: Uint16Array;
  readonly frequencies: Uint32Array;
  /** How many postings have each code. */
  readonly counts: Float64Array;

  constructor(
    starts: Uint32Array,
    fields: Uint16Array,
    frequencies: Uint32Array,
    counts: Float64Array,
  ) {
    this.starts = starts;
    this.fields = fields;
    this.frequencies = frequencies;
    this.counts = counts;
  }
}

/**
 * Counts combinations, then gives codes to the most frequent ones. A combination is its last pair
 * of field and frequency and the combination before it; the empty one is 0.
 */
export class FrequencyCombinations {
  readonly #next = new Map<number, number>();
  readonly #before: number[] = [0];
  readonly #fields: number[] = [0];
  readonly #frequencies: number[] = [0];
  readonly #counts: number[] = [0];
  readonly #codes: number[] = [];

  /** The combination that one more field makes of `before`, or -1 where there are too many. */
  extended(before: number, field: number, frequency: number): number {
    if (before < 0) return -1;
    const key = keyOf(before, field, frequency);
    const known = this.#next.get(key);
    if (known !== undefined) return known;
    const added = this.#before.length;
    if (added > COMBINATIONS_MAX) return -1;
    this.#next.set(key, added);
    this.#before.push(before);
    this.#fields.push(field);
    this.#frequencies.push(frequency);
    this.#counts.push(0);
    return added;
  }

  /** As `extended`, once counting is over: -1 also for what was not counted. */
  known(before: number, field: number, frequency: number): number {
    return before < 0 ? -1 : (this.#next.get(keyOf(before, field, frequency)) ?? -1);
  }

  count(combination: number, postings = 1): void {
    if (combination > 0) this.#counts[combination]! += postings;
  }

  /** The code of a combination in the table that `finish` gave. */
  code(combination: number): number {
    return this.#codes[combination] ?? ESCAPE;
  }

  finish(): FrequencyTable {
    const ranked = [...this.#counts.keys()]
      .filter((combination) => this.#counts[combination]! > 0)
      .toSorted((a, b) => this.#counts[b]! - this.#counts[a]! || a - b)
      .slice(0, ESCAPE);
    const starts = [0];
    const fields: number[] = [];
    const frequencies: number[] = [];
    ranked.forEach((combination, code) => {
      this.#codes[combination] = code;
      const path: number[] = [];
      for (let at = combination; at > 0; at = this.#before[at]!) path.unshift(at);
      fields.push(...path.map((at) => this.#fields[at]!));
      frequencies.push(...path.map((at) => this.#frequencies[at]!));
      starts.push(fields.length);
    });
    return new FrequencyTable(
      Uint32Array.from(starts),
      Uint16Array.from(fields),
      Uint32Array.from(frequencies),
      Float64Array.from(ranked, (combination) => this.#counts[combination]!),
    );
  }
}

/** Exact: 21 bits, 10 bits and 22 bits are 53. */
function keyOf(before: number, field: number, frequency: number): number {
  return (before * FIELDS_MAX + field) * (FREQUENCY_MAX + 1) + frequency;
}
