import { DECODED_LENGTHS } from './length-code.ts';
import { NumberList } from './number-list.ts';

/**
 * What a segment knows of its documents, column by column. Documents, fields, types and languages are numbered within
 * it.
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
  readonly fields: FieldTable;
}

export interface FieldTable {
  /** Ascending. */
  readonly ids: Uint16Array;
  readonly boosts: Float64Array;
  /** Documents that have the field. */
  readonly documentCounts: Float64Array;
  /** Sum of the decoded lengths. */
  readonly lengthSums: Float64Array;
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
    const numbers = new Map(Array.from(ids, (id, number) => [id, number]));
    const fields: FieldTable = {
      ids,
      boosts: Float64Array.from(ids, (id) => this.#boosts.get(id)!),
      documentCounts: new Float64Array(ids.length),
      lengthSums: new Float64Array(ids.length),
    };
    const lengthFields = Uint16Array.from(this.#lengthFields.values, (id) => numbers.get(id)!);
    const lengthCodes = Uint8Array.from(this.#lengthCodes.values);
    lengthFields.forEach((field, at) => {
      fields.documentCounts[field]! += 1;
      fields.lengthSums[field]! += DECODED_LENGTHS[lengthCodes[at]!]!;
    });
    this.#lengthStarts.push(lengthFields.length);
    return {
      count: nodes.length,
      nodes,
      byNode: orderOf(nodes),
      timestampsMs: Float64Array.from(this.#timestampsMs),
      types: Uint16Array.from(this.#types.values),
      typeIds: Uint16Array.from(this.#typeNumbers.keys()),
      languages: Uint16Array.from(this.#languages.values),
      languageNames: [...this.#languageNumbers.keys()],
      lengthStarts: this.#lengthStarts.values.slice(),
      lengthFields,
      lengthCodes,
      fields,
    };
  }
}

function numberOf<Key>(numbers: Map<Key, number>, key: Key): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}

/** Indexes by ascending value. Nodes come in order nearly always, so that there is nothing to sort. */
function orderOf(nodes: Float64Array): Uint32Array {
  const order = Uint32Array.from(nodes, (_, index) => index);
  if (nodes.every((node, index) => index === 0 || nodes[index - 1]! <= node)) return order;
  return order.toSorted((a, b) => nodes[a]! - nodes[b]! || a - b);
}
