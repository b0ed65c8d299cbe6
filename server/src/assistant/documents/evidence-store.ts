import type { SchemaAlias } from '@trellis/contract/shapes/schema-document.ts';
import type { Readers } from '#access/node-access.ts';
import { must } from '#base/assert.ts';
import { claimsIn, type DocumentClaims, EVIDENCE_TYPE } from '#graph/evidence-record.ts';
import { convertValue } from '#graph/field-conversion.ts';
import { type FieldValue, LIST, tagOf } from '#graph/field-types.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { claimsOf, type NodeEvidence, type Values, withOthers } from './evidence.ts';

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
  /** Whether some were merged when it was looked at: it is to be again when they are split. */
  readonly waits?: boolean;
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
  #aliases: { readonly of: unknown; readonly all: readonly SchemaAlias[] } | undefined;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  node(uid: string): Versioned<StoredEvidence | undefined> {
    const { value, version } = this.#record(EVIDENCE_TYPE, uid);
    const kept = value as StoredEvidence | undefined;
    return { value: kept && this.#present(uid, kept, this.#claims(uid)), version };
  }

  document(uid: string): Versioned<StoredDocument> {
    const { value, version } = this.#record(DOCUMENT_TYPE, uid);
    const stored = value as StoredDocument | undefined;
    return { value: stored ?? { type: '', texts: {}, nodes: [], extractions: {} }, version };
  }

  #claims(key: string): DocumentClaims | undefined {
    const id = must(this.#reader.id({ type: EVIDENCE_TYPE, key }), 'the evidence of a node');
    return claimsIn((name) => this.#reader.field(id, name));
  }

  /** UIDs of all documents of which something is kept. */
  documents(): string[] {
    return this.#reader
      .idsOfType(DOCUMENT_TYPE)
      .map((id) => this.#reader.field(id, 'Id'))
      .filter((uid) => typeof uid === 'string');
  }

  /**
   * What is kept names fields and edges as they were called when it was said: it is read with the
   * names and types of today, as the values of nodes are.
   */
  #present(uid: string, kept: StoredEvidence, claims: DocumentClaims | undefined): StoredEvidence {
    const schema = this.#reader.schema();
    const id = this.#reader.id({ uid });
    const type =
      id === undefined
        ? undefined
        : schema.nodes.find((one) => one.type === this.#reader.typeOf(id));
    if (id === undefined || type === undefined) return kept;
    if (this.#aliases?.of !== schema) {
      this.#aliases = { of: schema, all: this.#reader.schemaAliases() };
    }
    const fields = new Map<string, string>();
    const edges = new Map<string, string>();
    for (const one of this.#aliases.all) {
      if ('edge' in one && one.field === undefined) edges.set(one.alias, one.edge);
      if ('type' in one && one.type === type.type && one.field !== undefined) {
        fields.set(one.alias, one.field);
      }
    }
    const nameOf = (field: string): string =>
      type.fields[field] === undefined ? (fields.get(field) ?? field) : field;
    const present = (values: Values): Values =>
      Object.fromEntries(
        Object.entries(values).map(([field, value]) => {
          const name = nameOf(field);
          return [name, valueAs(value, type.fields[name])];
        }),
      );
    const evidence =
      claims === undefined
        ? kept
        : withClaims(kept, claims, (field) => this.#reader.field(id, nameOf(field)));
    return {
      ...evidence,
      base: present(evidence.base),
      statements: evidence.statements.map((one) => ({ ...one, fields: present(one.fields) })),
      edges: evidence.edges.map((one) => ({ ...one, edge: edges.get(one.edge) ?? one.edge })),
    };
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
  const claims: DocumentClaims | undefined = evidence && {
    OnlyNode: evidence.madeAt !== null,
    ...claimsOf(evidence),
  };
  return recordOperation(EVIDENCE_TYPE, uid, { value: evidence, ifVersion }, { ...claims });
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
  more: Values = {},
): WriterOperation {
  if (value === undefined) return { op: 'delete', type, key, ifVersion };
  const Record: unknown = JSON.parse(JSON.stringify(value));
  return { op: 'addOrUpdate', type, key, fields: { Record, ...more }, ifVersion };
}

/** As it stands with what others have written since. */
function withClaims(
  kept: StoredEvidence,
  claims: DocumentClaims,
  current: (field: string) => FieldValue,
): StoredEvidence {
  const evidence = { ...kept, ...withOthers(kept, claims, current) };
  // A node of which others say that it is there is not of the documents any more.
  return claims.OnlyNode
    ? evidence
    : { ...evidence, isCreated: false, madeAt: null, granted: null };
}

/** A value, kept as JSON, as one of a field that was retyped since; null when it is lost. */
function valueAs(value: FieldValue, type: string | undefined): FieldValue {
  const to = tagOf(type);
  const was = tagOf(jsonTypeOf(Array.isArray(value) ? value[0] : value));
  if (value === null || to === undefined || was === undefined) return value;
  const isList = Array.isArray(value);
  return isList === type?.endsWith('[]') && isAlready(isList ? value[0] : value, type)
    ? value
    : (convertValue(value, isList ? was | LIST : was, to) ?? null);
}

function jsonTypeOf(value: unknown): string {
  if (typeof value === 'number') return 'Double';
  return typeof value === 'boolean' ? 'Bool' : typeof value === 'string' ? 'String' : 'Json';
}

/** Whether a value has the form in which values of a type are written as JSON. */
function isAlready(value: unknown, type: string): boolean {
  switch (type.replace(/\[\]$/, '')) {
    case 'Json':
      return true;
    case 'Int':
    case 'Long':
    case 'Float':
    case 'Double':
      return typeof value === 'number';
    case 'Bool':
      return typeof value === 'boolean';
    case 'GeoPoint':
      return typeof value === 'object';
    default:
      return typeof value === 'string';
  }
}
