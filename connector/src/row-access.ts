import type { SourceReaders } from './kinds/source-readers.ts';

/** Who may see at the source what a row brings. */
export type RowAccess = OwnAccess | SharedAccess;

interface OwnAccess {
  readonly node: BroughtNode;
  /** Null where the source does not tell. */
  readonly readers: SourceReaders | null;
}

interface SharedAccess {
  readonly node: BroughtNode;
  /** Id of the row, given before, whose readers these are, whenever they change. */
  readonly sameAs: string;
}

export interface BroughtNode {
  readonly type: string;
  readonly key: string;
}

export interface ToldAccess extends OwnAccess {
  readonly row: string;
}

export interface ToldAccessPage {
  readonly items: readonly ToldAccess[];
  readonly total: number;
}
