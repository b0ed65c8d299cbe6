import type { SchemaChange } from '@trellis/contract/shapes/schema-change.ts';
import { isFieldType } from '../field-types.ts';

export type Deed = 'rename' | 'retype' | 'drop';

/** A type of the schema, as far as its changes need it. */
export interface ChangedType {
  readonly type: string;
  /** Of a node type: the name under which nodes show their key. */
  readonly key?: string | undefined;
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

export interface WantedChange {
  readonly deed: Deed;
  /** Empty for the type itself. */
  readonly field: string;
  /** The new name, or the new type of the field. */
  readonly to: string;
}

/** What can be done with a type of this kind, or with one of its fields. */
export function deedsOf(kind: 'node' | 'edge', { key }: ChangedType, field: string): Deed[] {
  if (field === '') return ['rename', 'drop'];
  // The key makes the UIDs of its nodes: the server keeps it, and its type.
  if (field === key) return ['rename'];
  return kind === 'node' ? ['rename', 'retype', 'drop'] : ['rename', 'drop'];
}

/** As the server takes it; nothing as long as it lacks something. */
export function schemaChangeOf(
  kind: 'node' | 'edge',
  { type, fields = {} }: ChangedType,
  { deed, field, to }: WantedChange,
): SchemaChange | undefined {
  const owner = kind === 'node' ? { type } : { edge: type };
  const place = field === '' ? owner : { ...owner, field };
  if (deed === 'drop') return { drop: place };
  if (deed === 'rename') {
    const name = to.trim();
    return name === '' || name === (field || type) ? undefined : { rename: { ...place, to: name } };
  }
  if (field === '' || !isFieldType(to) || fields[field] === to) return undefined;
  return { retype: { type, field, to } };
}
