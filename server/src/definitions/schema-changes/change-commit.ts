import { type AuditTrail, deed, type Doer } from '#access/audit-event.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { CommitRequest, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { SchemaEdit } from '#graph/schema-edits.ts';
import { renamedSettings, type SettingStep } from './renamed-settings.ts';
import {
  SchemaChangeStore,
  type StoredSchemaChange,
  writeSchemaChange,
} from './schema-change-store.ts';

/** What a commit changes of the schema, and what its record says of it. */
export interface Change {
  readonly id: string;
  readonly edits: readonly SchemaEdit[];
  readonly settings: readonly SettingStep[];
  readonly record: Omit<StoredSchemaChange, 'by' | 'rules'>;
  /** The rules that go into the record, as of the reader's commit. */
  readonly rules?: () => StoredSchemaChange['rules'];
}

export function newId(): string {
  return formatUid(randomUid());
}

/** The commit of a change, with what follows it, its record and its audit event. */
export function changeRequest(
  { reader, audit }: { readonly reader: GraphReader; readonly audit: AuditTrail },
  { caller, address }: Doer,
  { id, edits, settings, record, rules }: Change,
): CommitRequest {
  const store = new SchemaChangeStore(reader);
  const { userUid: uid, userName } = caller;
  const by = uid === null ? null : { uid, name: userName ?? uid };
  const { changes } = record;
  const event = deed('schema.changed', { caller, address }, { kind: 'schema', id }, { changes });
  const kept = rules?.() ?? {};
  const stored = Object.keys(kept).length === 0 ? record : { ...record, rules: kept };
  const operations: WriterOperation[] = [
    ...renamedSettings(reader, settings),
    ...store.makeRoom(),
    ...undone(store, record.undoes, id),
    writeSchemaChange(id, { by, ...stored }),
    audit.operation(event),
  ];
  return { system: true, edits: { edits }, operations };
}

function undone(store: SchemaChangeStore, undoes: string | null, by: string): WriterOperation[] {
  if (undoes === null) return [];
  const { id: _id, at: _at, ...done } = store.get(undoes);
  return [writeSchemaChange(undoes, { ...done, undoneBy: by })];
}
