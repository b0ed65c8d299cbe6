import type { Token } from '../analysis/analyzer.ts';

/** What the text index keeps of a node: it is found by its fields' terms and filtered and counted by the rest. */
export interface IndexedDocument {
  /** Dense id of the node in the graph, of at most 40 bits. */
  readonly node: number;
  /** Id of the node's type, of at most 16 bits. */
  readonly type: number;
  /** What an order by time, a time range and decay go by. Milliseconds since the Unix epoch. */
  readonly timestampMs: number;
  /** Two letters (ISO 639-1), or `--`. */
  readonly language: string;
  /** By ascending field, each at most once. */
  readonly fields: readonly FieldText[];
  /** By ascending column, each at most once. */
  readonly facets: readonly FacetValues[];
}

export interface FieldText {
  /** A number from 0 to 1,023 that the settings give to a field. */
  readonly field: number;
  /** Above 0. The same for all documents that have the field; where they differ, the one written last counts. */
  readonly boost: number;
  /**
   * Positions do not descend. Between two values of one property the caller leaves a gap, so that no phrase spans
   * them.
   */
  readonly tokens: readonly Token[];
}

export interface FacetValues {
  readonly column: number;
  readonly values: readonly string[];
}
