import { FIELDS_MAX } from './frequency-table.ts';
import { DECODED_LENGTHS } from './bm25.ts';
import { NumberList } from './number-list.ts';

/** Marks a field whose lengths have no column. */
export const NO_COLUMN = 0xffff;
/** The type of a field that documents of several types have. */
export const SEVERAL_TYPES = 0xffff;
/** With fewer documents a field has no column: its lengths are looked up. */
const COLUMN_SHARE_MIN = 1 / 16;
const COLUMN_DOCUMENTS_MIN = 1_024;

/**
 * The documents of a segment, column by column. Documents, fields, types and languages have numbers
 * within it.
 */
export interface DocumentTable {
  readonly count: number;
  readonly nodes: Float64Array;
  /** Documents by ascending node. */
  readonly byNode: Uint32Array;
  readonly timestampsMs: Float64Array;
  readonly types: Uint16Array;
  readonly typeIds: Uint16Array;
  readonly languages: Uint16Array;
  readonly languageNames: readonly string[];
  /** Document -> where its pairs of field and length begin; fields ascend. */
  readonly lengthStarts: Uint32Array;
  readonly lengthFields: Uint16Array;
  readonly lengthCodes: Uint8Array;
  /**
   * Columns one after the other: for each document the code of the field's length, 0 without the
   * field.
   */
  readonly lengthColumns: Uint8Array;
  readonly fields: IndexedFields;
}

export interface IndexedFields {
  /** Ascending. */
  readonly ids: Uint16Array;
  readonly boosts: Float64Array;
  /** Documents that have the field. */
  readonly documentCounts: Float64Array;
  /** Sum of the decoded lengths. */
  readonly lengthSums: Float64Array;
  /** Which of the columns is the field's, or `NO_COLUMN`. */
  readonly columns: Uint16Array;
  /** Number of the one type whose documents have the field, or `SEVERAL_TYPES`. */
  readonly types: Uint16Array;
}

export class DocumentTableBuilder {
  readonly #nodes: number[] = [];
  readonly #timestampsMs: number[] = [];
  readonly #types = new NumberList();
  readonly #typeNumbers = new Map<number, number>();
  readonly #languages = new NumberList();
  readonly #languageNumbers = new Map<string, number>();
  readonly #lengthStarts = new NumberList();
  readonly #lengthFields = new NumberList();
  readonly #lengthCodes = new NumberList();
  readonly #boosts = new Map<number, number>();

  get count(): number {
    return this.#nodes.length;
  }

  add(node: number, type: number, timestampMs: number, language: string): void {
    this.#nodes.push(node);
    this.#timestampsMs.push(timestampMs);
    this.#types.push(numberOf(this.#typeNumbers, type));
    this.#languages.push(numberOf(this.#languageNumbers, language));
    this.#lengthStarts.push(this.#lengthFields.length);
  }

  /** A field, by its id, of the document added last. */
  addField(field: number, boost: number, lengthCode: number): void {
    this.#lengthFields.push(field);
    this.#lengthCodes.push(lengthCode);
    this.#boosts.set(field, boost);
  }

  finish(): DocumentTable {
    const nodes = Float64Array.from(this.#nodes);
    const ids = Uint16Array.from([...this.#boosts.keys()].toSorted((a, b) => a - b));
    const numbers = new Uint16Array(FIELDS_MAX);
    ids.forEach((id, number) => (numbers[id] = number));
    const lengthFields = Uint16Array.from(this.#lengthFields.values, (id) => numbers[id]!);
    this.#lengthStarts.push(lengthFields.length);
    const lengths = {
      lengthStarts: this.#lengthStarts.values.slice(),
      lengthFields,
      lengthCodes: Uint8Array.from(this.#lengthCodes.values),
    };
    const types = Uint16Array.from(this.#types.values);
    const boosts = Float64Array.from(ids, (id) => this.#boosts.get(id)!);
    const fields = fieldTable(ids, boosts, lengths, types);
    return {
      count: nodes.length,
      nodes,
      byNode: orderOf(nodes),
      timestampsMs: Float64Array.from(this.#timestampsMs),
      types,
      typeIds: Uint16Array.from(this.#typeNumbers.keys()),
      languages: Uint16Array.from(this.#languages.values),
      languageNames: [...this.#languageNumbers.keys()],
      ...lengths,
      lengthColumns: lengthColumns(lengths, fields.columns),
      fields,
    };
  }
}

type Lengths = Pick<DocumentTable, 'lengthStarts' | 'lengthFields' | 'lengthCodes'>;

function fieldTable(
  ids: Uint16Array,
  boosts: Float64Array,
  { lengthStarts, lengthFields, lengthCodes }: Lengths,
  typeOf: Uint16Array,
): IndexedFields {
  const documentCounts = new Float64Array(ids.length);
  const lengthSums = new Float64Array(ids.length);
  const types = new Uint16Array(ids.length).fill(SEVERAL_TYPES);
  for (let document = 0; document < typeOf.length; document++) {
    const type = typeOf[document]!;
    const end = lengthStarts[document + 1]!;
    for (let at = lengthStarts[document]!; at < end; at++) {
      const field = lengthFields[at]!;
      if (documentCounts[field] === 0) types[field] = type;
      else if (types[field] !== type) types[field] = SEVERAL_TYPES;
      documentCounts[field]! += 1;
      lengthSums[field]! += DECODED_LENGTHS[lengthCodes[at]!]!;
    }
  }
  let columnCount = 0;
  const columns = Uint16Array.from(documentCounts, (count) => {
    const isFrequent = count >= Math.max(1, typeOf.length * COLUMN_SHARE_MIN);
    return isFrequent && typeOf.length >= COLUMN_DOCUMENTS_MIN ? columnCount++ : NO_COLUMN;
  });
  return { ids, boosts, documentCounts, lengthSums, columns, types };
}

function lengthColumns(
  { lengthStarts, lengthFields, lengthCodes }: Lengths,
  columns: Uint16Array,
): Uint8Array {
  const documentCount = lengthStarts.length - 1;
  const columnCount = columns.filter((column) => column !== NO_COLUMN).length;
  const codes = new Uint8Array(documentCount * columnCount);
  if (columnCount === 0) return codes;
  for (let document = 0; document < documentCount; document++) {
    const end = lengthStarts[document + 1]!;
    for (let at = lengthStarts[document]!; at < end; at++) {
      const column = columns[lengthFields[at]!]!;
      if (column !== NO_COLUMN) codes[column * documentCount + document] = lengthCodes[at]!;
    }
  }
  return codes;
}

function numberOf<Key>(numbers: Map<Key, number>, key: Key): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}

/** Indexes by ascending value. Nodes are nearly always in order, so that nothing is sorted. */
function orderOf(nodes: Float64Array): Uint32Array {
  const order = Uint32Array.from(nodes, (_, index) => index);
  if (nodes.every((node, index) => index === 0 || nodes[index - 1]! <= node)) return order;
  return order.toSorted((a, b) => nodes[a]! - nodes[b]! || a - b);
}
