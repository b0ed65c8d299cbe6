import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type { SchemaChangeRecord } from '@trellis/contract/shapes/schema-change.ts';
import { SCHEMA_CHANGES_KEPT } from '#base/definition-limits.ts';
import { Problem } from '#base/problem.ts';
import { shorten } from '#graph/names.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Principals, TypeAccess } from '#graph/type-access.ts';

/** The node type in which they are stored: see `#graph/system-schema.ts`. */
const CHANGE_TYPE = '_SchemaChange';

export interface StoredSchemaChange extends Omit<SchemaChangeRecord, 'id' | 'at'> {
  /** The rules of access of what was dropped, by the place in the change. */
  readonly rules?: Readonly<Record<number, DroppedRule>> | undefined;
}

/** The rule of a type, or of a field. */
export interface DroppedRule {
  readonly type?: TypeAccess | undefined;
  readonly field?: Principals | undefined;
}

/** Reads the changes that were made, at the reader's commit. */
export class SchemaChangeStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /** The newest first. */
  list({ skip, take }: Page): List<SchemaChangeRecord> {
    this.#reader.refresh();
    const ids = this.#reader.idsOfType(CHANGE_TYPE, { skip, take });
    const total = this.#reader.countOfType(CHANGE_TYPE);
    const items = ids.map((id) => {
      const { rules: _rules, ...record } = this.#read(id);
      return record;
    });
    return { items, total, skip, take };
  }

  /** Throws `schema_change_not_found`. */
  get(key: string): Kept {
    this.#reader.refresh();
    const id = this.#reader.id({ type: CHANGE_TYPE, key });
    if (id !== undefined) return this.#read(id);
    const message = `There is no schema change "${shorten(key)}"`;
    throw new Problem('schema_change_not_found', message);
  }

  /** Operations that delete the oldest, so that one more may be kept. */
  makeRoom(): WriterOperation[] {
    const surplus = this.#reader.countOfType(CHANGE_TYPE) + 1 - SCHEMA_CHANGES_KEPT;
    if (surplus <= 0) return [];
    return this.#reader
      .idsOfType(CHANGE_TYPE, { take: surplus, oldestFirst: true })
      .flatMap((id) => {
        const uid = this.#reader.uid(id);
        return uid === undefined ? [] : [{ op: 'delete' as const, uid }];
      });
  }

  #read(id: number): Kept {
    const [key, at, record] = this.#reader.fields(id, ['Id', 'Timestamp', 'Record'])?.values ?? [];
    return { id: String(key), at: String(at), ...(record as StoredSchemaChange) };
  }
}

type Kept = StoredSchemaChange & Pick<SchemaChangeRecord, 'id' | 'at'>;

/** The way there: nothing else writes these nodes. */
export function writeSchemaChange(key: string, record: StoredSchemaChange): WriterOperation {
  const Record = JSON.parse(JSON.stringify(record)) as { readonly [name: string]: string };
  return { op: 'addOrUpdate', type: CHANGE_TYPE, key, fields: { Record } };
}
