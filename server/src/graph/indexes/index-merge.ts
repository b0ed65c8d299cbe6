import type { IndexDocument } from '@trellis/contract/shapes/schema-document.ts';
import { INDEX_FIELDS_MAX, SCHEMA_INDEXES_PER_TYPE_MAX } from '@trellis/contract/limits.ts';
import { Problem } from '#base/problem.ts';
import { isListTag, TAG } from '../field-types.ts';
import { didYouMean } from '../names.ts';
import { schemaFaults } from '../schema-check.ts';
import type { NodeType } from '../schema-registry.ts';
import {
  fieldNamesOf,
  type IndexedField,
  indexDocument,
  isOver,
  type StoredIndex,
  storedIndex,
  TIMESTAMP,
} from './field-index.ts';

interface IndexDraftOptions {
  readonly isEmpty?: ((type: number) => boolean) | undefined;
  readonly hashesIndexes?: boolean | undefined;
}

/** The indexes that a change of the schema adds. */
export class IndexDraft {
  /** Number of the next one. */
  next: number;
  readonly #options: IndexDraftOptions;

  constructor(next: number, options: IndexDraftOptions) {
    this.next = next;
    this.#options = options;
  }

  /** Throws `invalid_request` for one that there cannot be. */
  add(type: NodeType, document: IndexDocument, path: string): StoredIndex {
    const fields = fieldNamesOf(document).map((name) => indexedField(type, name, path));
    const fault = faultOf(type, fields, document.unique === true);
    if (fault !== undefined) throw schemaFaults([{ path: `${path}.indexes`, message: fault }]);
    const { isEmpty, hashesIndexes = false } = this.#options;
    const isOfTimestamp = fields.length === 1 && fields[0] === TIMESTAMP;
    return storedIndex({
      number: this.next++,
      fields,
      unique: document.unique === true,
      isHashed: hashesIndexes && !isOfTimestamp,
      isReady: isOfTimestamp || isEmpty?.(type.id) === true,
    });
  }
}

/**
 * Whether a type has an index over these fields. Throws `schema_conflict` when it has one that is
 * not unique, and a unique one is wanted.
 */
export function hasIndex(type: NodeType | undefined, document: IndexDocument): boolean {
  const names = fieldNamesOf(document);
  const known = type?.indexes.find((index) => isOver(index, inType(type, names)));
  if (known === undefined) return false;
  if (document.unique === true && !known.unique) {
    throw new Problem(
      'schema_conflict',
      `The index of ${type?.name} over ${names.join(', ')} is not unique`,
      {
        hint: 'Remove the index, then add it as a unique one.',
        details: { type: type?.name, field: names.join(','), from: 'index', to: 'unique index' },
      },
    );
  }
  return true;
}

/** The names as indexes have them: the key may be called Id. */
export function inType(type: NodeType, names: readonly string[]): string[] {
  return names.map((name) => (name === 'Id' ? (type.key ?? name) : name));
}

/** Throws `schema_conflict` for a field that becomes a list while an index has others beside it. */
export function checkIndexes(type: NodeType, before: NodeType): void {
  for (const index of before.indexes) {
    if (index.fields.length === 1) continue;
    const list = index.fields.find(({ name }) => isListTag(type.byName.get(name)?.tag ?? 0));
    if (list === undefined) continue;
    const { fields } = indexDocument(index);
    throw new Problem(
      'schema_conflict',
      `"${type.name}.${list.name}" cannot become a list: it is in the index over ${fields?.join(', ')}`,
      {
        hint: 'Remove that index first.',
        details: { type: type.name, field: list.name, from: null, to: 'list' },
      },
    );
  }
}

function indexedField(type: NodeType, name: string, path: string): IndexedField {
  if (name === TIMESTAMP.name) return TIMESTAMP;
  if (name === 'Id') return { name: type.key ?? name, number: 0, tag: TAG.String };
  const field = type.byName.get(name);
  if (field?.name === name) return field;
  const { hint } = didYouMean(name, [...type.byName.keys(), TIMESTAMP.name]);
  const message = `"${name}" is not a field of ${type.name}${hint === undefined ? '' : `. ${hint}`}`;
  throw schemaFaults([{ path: `${path}.indexes`, message }]);
}

function faultOf(
  type: NodeType,
  fields: readonly IndexedField[],
  unique: boolean,
): string | undefined {
  if (fields.length > INDEX_FIELDS_MAX) return `an index has at most ${INDEX_FIELDS_MAX} fields`;
  if (type.indexes.length >= SCHEMA_INDEXES_PER_TYPE_MAX) {
    return `a type has at most ${SCHEMA_INDEXES_PER_TYPE_MAX} indexes`;
  }
  if (new Set(fields.map(({ name }) => name)).size < fields.length) return 'a field occurs twice';
  if (unique && fields.length === 1 && fields[0] === TIMESTAMP) {
    return 'timestamps cannot be unique';
  }
  if (fields.length === 1) return undefined;
  const unfit = fields.find(({ tag }) => !mayIndexWith(tag));
  return unfit === undefined
    ? undefined
    : `"${unfit.name}" can only be indexed alone: an index of several fields takes no list, GeoPoint, Json or Bytes`;
}

/** Whether a field with this tag may be in an index beside others. */
export function mayIndexWith(tag: number): boolean {
  return !isListTag(tag) && !WITHOUT_ORDER.has(tag);
}

const WITHOUT_ORDER: ReadonlySet<number> = new Set([TAG.GeoPoint, TAG.Json, TAG.Bytes]);
