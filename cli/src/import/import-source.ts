import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';

/** A row as it stood in the input: its cells, or its text. */
export type SourceRow = readonly string[] | string;

/** One operation of an import, or what is wrong with the place where it should come from. */
export type ImportItem =
  | {
      readonly place: number;
      readonly row?: SourceRow;
      readonly operation: GraphOperation;
      /**
       * The operation as it stood in the input, where it was JSON already: its numbers may have
       * more digits than ours.
       */
      readonly json?: string;
      readonly problem?: undefined;
    }
  | { readonly place: number; readonly row?: SourceRow; readonly problem: string };

/**
 * How far the reading has come, in whatever the source can count beforehand: bytes or operations.
 */
export interface ReadProgress {
  readonly done: number;
  readonly total: number | undefined;
}

/**
 * Where operations come from. The same source gives the same operations in the same order every
 * time.
 */
export interface ImportSource {
  /** For people: a file name, or what it is. */
  readonly name: string;
  /**
   * Differs whenever the operations could differ; undefined when the source cannot be read twice.
   */
  readonly identity: string | undefined;
  /** In groups, because one by one would take longer than the work itself. */
  items(): AsyncIterable<readonly ImportItem[]>;
  progress(): ReadProgress;
  /**
   * The types that the items given since the last call need; undefined when there are none to
   * create.
   */
  takeSchema(): SchemaDocument | undefined;
  /** Whether the schema is part of what is imported, also where no operation needs it. */
  readonly tellsSchema?: true;
  /** The place of an item as people find it, such as `people.csv:17`. */
  locate(place: number): string;
  /** How rows that are skipped are written; not there where the source has no rows of its own. */
  readonly rejects?: RejectFormat;
}

/** A row that was skipped. */
export interface Reject {
  readonly place: number;
  readonly row: SourceRow;
  readonly reason: string;
}

/** Lines of text, with their ends. */
export interface RejectFormat {
  /** What stands above the first of them, once a row was read. */
  head(): string;
  line(reject: Reject): string;
}
