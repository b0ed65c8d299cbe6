import { NumberList } from './number-list.ts';
import { StringTable } from './string-table.ts';

/** The values of one facet for each document of a segment: any number of distinct values. */
export interface FacetColumn {
  /** Ascending. */
  readonly values: StringTable;
  /** Document -> where its ordinals begin, and the end. Empty if no document has several values. */
  readonly starts: Uint32Array;
  /**
   * Numbers of values. If `starts` is empty, one for each document: `values.size` means no value.
   */
  readonly ordinals: Ordinals;
}

/** As narrow as possible: counting mostly waits for memory. */
export type Ordinals = Uint8Array | Uint16Array | Uint32Array;

/** Bytes of each of `FacetColumn.ordinals`, which go up to the number of values. */
export function ordinalBytes(valueCount: number): 1 | 2 | 4 {
  if (valueCount < 2 ** 8) return 1;
  return valueCount < 2 ** 16 ? 2 : 4;
}

function ordinalsFor(valueCount: number, length: number): Ordinals {
  const bytes = ordinalBytes(valueCount);
  if (bytes === 1) return new Uint8Array(length);
  return bytes === 2 ? new Uint16Array(length) : new Uint32Array(length);
}

/** Where the ordinals of a document begin; those of the next one begin where they end. */
export function ordinalsStart({ starts }: FacetColumn, document: number): number {
  return starts.length === 0 ? document : starts[document]!;
}

export class FacetColumnBuilder {
  readonly #numbers = new Map<string, number>();
  readonly #documents = new NumberList();
  readonly #values = new NumberList();

  /** The number that `add` takes for a value. */
  numberOf(value: string): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  /** Documents come in ascending order, a value of one document once. */
  add(document: number, value: number): void {
    this.#documents.push(document);
    this.#values.push(value);
  }

  finish(documentCount: number): FacetColumn {
    const strings = [...this.#numbers.keys()].toSorted((a, b) => (a < b ? -1 : 1));
    const ordinalOf = new Uint32Array(strings.length);
    strings.forEach((value, ordinal) => (ordinalOf[this.#numbers.get(value)!] = ordinal));
    const values = StringTable.pack(strings);
    const count = this.#values.length;
    if (this.#isSingleValued()) {
      const single = ordinalsFor(values.size, documentCount).fill(values.size);
      for (let at = 0; at < count; at++) {
        single[this.#documents.at(at)] = ordinalOf[this.#values.at(at)]!;
      }
      return { values, starts: new Uint32Array(), ordinals: single };
    }
    const ordinals = ordinalsFor(values.size, count);
    for (let at = 0; at < count; at++) ordinals[at] = ordinalOf[this.#values.at(at)]!;
    const starts = new Uint32Array(documentCount + 1);
    for (const document of this.#documents.values) starts[document + 1]! += 1;
    for (let document = 0; document < documentCount; document++) {
      starts[document + 1]! += starts[document]!;
    }
    return { values, starts, ordinals };
  }

  #isSingleValued(): boolean {
    const documents = this.#documents.values;
    return documents.every((document, at) => at === 0 || documents[at - 1] !== document);
  }
}

/** All columns of a segment in the making. */
export class FacetColumnsBuilder {
  readonly #columns = new Map<number, FacetColumnBuilder>();

  column(id: number): FacetColumnBuilder {
    let column = this.#columns.get(id);
    if (column === undefined) this.#columns.set(id, (column = new FacetColumnBuilder()));
    return column;
  }

  add(document: number, id: number, values: readonly string[]): void {
    const column = this.column(id);
    const distinct = values.length === 1 ? values : new Set(values);
    for (const value of distinct) column.add(document, column.numberOf(value));
  }

  finish(documentCount: number): Map<number, FacetColumn> {
    return new Map(
      [...this.#columns]
        .toSorted(([a], [b]) => a - b)
        .map(([id, column]): [number, FacetColumn] => [id, column.finish(documentCount)])
        .filter(([, { values }]) => values.size > 0),
    );
  }
}
