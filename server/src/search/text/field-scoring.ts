import { saturated } from './bm25.ts';
import { NO_COLUMN } from './document-table.ts';
import type { TextSegment } from './segment.ts';

export interface FieldStatistics {
  readonly boost: number;
  readonly averageLength: number;
  /** Weight of an occurrence, by the code of the field's length. */
  readonly weights: Float64Array;
}

/** Codes of frequencies below this, the most frequent ones, have a table. */
export const TABLE_CODES = 32;
export const LENGTH_CODES = 256;
const NOT_MADE = -1;
/** Marks a code without a table. */
const NO_TABLE = -2;

/**
 * Weights for scoring the documents of one segment: of an occurrence in each field, by the averages
 * of the whole view.
 */
export class FieldScoring {
  readonly segment: TextSegment;
  /** Field of the segment -> weight of an occurrence by the code of the field's length. */
  readonly weights: readonly Float64Array[];
  /** Weights are at most this times those the segment's block bounds were made with. */
  readonly boundFactor: number;
  /**
   * Code of frequencies in one field -> where the column of the field's lengths begins; negative
   * without a table. Filled by `makeTable`.
   */
  readonly columnStarts = new Int32Array(TABLE_CODES).fill(NOT_MADE);
  /** `code * 256 + code of the length` -> share of its ceiling that a term scores. */
  readonly shares: Float64Array;

  /** `statistics` takes the id of a field. */
  constructor(segment: TextSegment, statistics: (field: number) => FieldStatistics) {
    this.segment = segment;
    const { ids, boosts, documentCounts, lengthSums } = segment.documents.fields;
    let boundFactor = 1;
    this.weights = Array.from(ids, (id, field) => {
      const { averageLength, boost, weights } = statistics(id);
      const longer = averageLength / (lengthSums[field]! / documentCounts[field]!);
      boundFactor = Math.max(boundFactor, (boost / boosts[field]!) * Math.max(1, longer));
      return weights;
    });
    this.boundFactor = boundFactor;
    const hasColumns = segment.documents.lengthColumns.length > 0;
    this.shares = new Float64Array(hasColumns ? TABLE_CODES * LENGTH_CODES : 0);
  }

  /** Makes the table of a code once, if it may have one. Returns whether there is one. */
  makeTable(code: number): boolean {
    if (this.columnStarts[code] !== NOT_MADE) return this.columnStarts[code] !== NO_TABLE;
    const { documents, frequencies: table } = this.segment;
    const at = table.starts[code]!;
    const field = table.fields[at]!;
    const column = documents.fields.columns[field]!;
    if (table.starts[code + 1]! - at !== 1 || column === NO_COLUMN) {
      this.columnStarts[code] = NO_TABLE;
      return false;
    }
    const weights = this.weights[field]!;
    const frequency = table.frequencies[at]!;
    for (let length = 0; length < LENGTH_CODES; length++) {
      this.shares[code * LENGTH_CODES + length] = saturated(weights[length]! * frequency);
    }
    this.columnStarts[code] = column * documents.count;
    return true;
  }
}
