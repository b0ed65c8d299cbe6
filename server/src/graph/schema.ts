import type { FieldType, IndexDocument } from '@trellis/contract/shapes/schema-document.ts';

export interface NodeTypeDocument {
  readonly type: string;
  /** The name under which a node also shows its key; a String. */
  readonly key?: string | undefined;
  readonly fields: Readonly<Record<string, FieldType>>;
  /** The name of a Time field that gives the node its timestamp. */
  readonly timestamp?: string | undefined;
  /** The field that names a node for people. */
  readonly label?: string | undefined;
  readonly indexes?: readonly IndexDocument[] | undefined;
}

export interface EdgeTypeDocument {
  readonly type: string;
  /**
   * The edge type that is created and removed together with this one, in the opposite direction.
   */
  readonly inverse?: string | undefined;
  readonly fields?: Readonly<Record<string, FieldType>> | undefined;
}
