import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { Problem } from '#base/problem.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { FieldAccess, TypeAccessByType } from './type-rules.ts';

/** System types that have rules: the others are administrators' only. */
const SYSTEM_TYPES_WITH_RULES: ReadonlySet<string> = new Set(['_User', '_AccessGroup']);
/** They are in every node that is shown at all. */
const NOT_WITHHELD: ReadonlySet<string> = new Set(['UID', 'Type', 'Timestamp']);

interface Fault {
  readonly path: string;
  readonly message: string;
}

/** Throws `invalid_request`, naming every type, field, team and user that there is not. */
export function checkTypeAccess(
  reader: GraphReader,
  types: TypeAccessByType,
  schema: SchemaDocument = reader.schema(),
): void {
  const known = new Map(
    schema.nodes.map(({ type, key, fields }) => [
      type,
      new Set([...Object.keys(fields), ...(key === undefined ? [] : [key]), 'Id']),
    ]),
  );
  const faults: Fault[] = [];
  for (const [type, { fields = {} }] of Object.entries(types)) {
    const path = `types.${type}`;
    const names = known.get(type);
    if (names === undefined) {
      faults.push({ path, message: 'is not a node type' });
    } else if (type.startsWith('_') && !SYSTEM_TYPES_WITH_RULES.has(type)) {
      faults.push({ path, message: 'is a type for administrators only' });
    } else {
      for (const [field, access] of Object.entries(fields)) {
        const at = `${path}.fields.${field}`;
        if (NOT_WITHHELD.has(field)) faults.push({ path: at, message: 'is never withheld' });
        else if (!names.has(field)) faults.push({ path: at, message: `is not a field of ${type}` });
        faults.push(...faultsOfReaders(reader, access, at));
      }
    }
  }
  const [first] = faults;
  if (first === undefined) return;
  throw new Problem('invalid_request', `body, ${first.path}: ${first.message}`, {
    details: { fields: faults },
  });
}

function faultsOfReaders(
  reader: GraphReader,
  { teams = [], users = [] }: FieldAccess,
  path: string,
): Fault[] {
  const isOf = (uid: string, type: string): boolean => {
    const id = reader.id({ uid });
    return id !== undefined && reader.typeOf(id) === type;
  };
  const faults: Fault[] = [];
  teams.forEach((uid, i) => {
    if (!isOf(uid, '_AccessGroup'))
      faults.push({ path: `${path}.teams.${i}`, message: 'is no team' });
  });
  users.forEach((uid, i) => {
    if (!isOf(uid, '_User')) faults.push({ path: `${path}.users.${i}`, message: 'is no user' });
  });
  return faults;
}
