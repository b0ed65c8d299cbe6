import { NumberList } from './number-list.ts';
import { StringTable } from './string-table.ts';

/** The values of one facet for each document of a segment: any number of them, each at most once. */
export interface FacetColumn {
  /** Ascending. */
  readonly values: StringTable;
  /** Document -> where its ordinals begin; one more than there are documents. Empty where none has several values. */
  readonly starts: Uint32Array;
  /** Numbers of values. Where `starts` is empty, one for each document, which is `values.size` for one without a value. */
  readonly ordinals: Uint32Array;
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
    const ordinals = this.#values.values.map((value) => ordinalOf[value]!);
    if (this.#isSingleValued()) {
      const single = new Uint32Array(documentCount).fill(values.size);
      this.#documents.values.forEach((document, at) => (single[document] = ordinals[at]!));
      return { values, starts: new Uint32Array(), ordinals: single };
    }
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
    for (const value of new Set(values)) column.add(document, column.numberOf(value));
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
