import type { Readers } from '#access/node-access.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { NodeEvidence } from './evidence.ts';

const NODE_TYPE = '_NodeEvidence';
const DOCUMENT_TYPE = '_DocumentEvidence';

/** What documents say of a node as it is stored, by the UID of the node. */
export interface StoredEvidence extends NodeEvidence {
  /** The timestamp with which it was made; null for a node that was there before. */
  readonly madeAt: string | null;
  /** Who was let see it when it was made. */
  readonly granted: Readers;
}

/** Of which nodes the texts of a document say something, by its UID. */
export interface StoredDocument {
  /** The type of the document, which is still known when it is deleted. */
  readonly type: string;
  /** The digest of each text as it was looked at last, by the key of the text. */
  readonly texts: Readonly<Record<string, string>>;
  /** UIDs. */
  readonly nodes: readonly string[];
  /** The numbers of its texts in each extraction that reads it. */
  readonly extractions: Readonly<Record<string, readonly number[]>>;
}

export interface Versioned<T> {
  readonly value: T;
  /** Version of its node, to detect changes by others; 0 when there is none. */
  readonly version: number;
}

/** Reads at the reader's commit what documents say. */
export class EvidenceStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  node(uid: string): Versioned<StoredEvidence | undefined> {
    const { value, version } = this.#record(NODE_TYPE, uid);
    return { value: value as StoredEvidence | undefined, version };
  }

  document(uid: string): Versioned<StoredDocument> {
    const { value, version } = this.#record(DOCUMENT_TYPE, uid);
    const stored = value as StoredDocument | undefined;
    return { value: stored ?? { type: '', texts: {}, nodes: [], extractions: {} }, version };
  }

  /** UIDs of all documents of which something is kept. */
  documents(): string[] {
    return this.#reader
      .idsOfType(DOCUMENT_TYPE)
      .map((id) => this.#reader.field(id, 'Id'))
      .filter((uid) => typeof uid === 'string');
  }

  #record(type: string, key: string): Versioned<unknown> {
    const id = this.#reader.id({ type, key });
    if (id === undefined) return { value: undefined, version: 0 };
    return { value: this.#reader.field(id, 'Record'), version: this.#reader.version(id) ?? 0 };
  }
}

/** For a commit with `system`; undefined removes it. */
export function nodeOperation(
  uid: string,
  evidence: StoredEvidence | undefined,
  ifVersion: number,
): WriterOperation {
  return recordOperation(NODE_TYPE, uid, { value: evidence, ifVersion });
}

/** For a commit with `system`; undefined removes it. */
export function documentOperation(
  uid: string,
  document: StoredDocument | undefined,
  ifVersion: number,
): WriterOperation {
  return recordOperation(DOCUMENT_TYPE, uid, { value: document, ifVersion });
}

function recordOperation(
  type: string,
  key: string,
  { value, ifVersion }: { readonly value: object | undefined; readonly ifVersion: number },
): WriterOperation {
  if (value === undefined) return { op: 'delete', type, key, ifVersion };
  const Record: unknown = JSON.parse(JSON.stringify(value));
  return { op: 'addOrUpdate', type, key, fields: { Record }, ifVersion };
}
