import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';

/** One thing in which two schemas differ. */
export interface SchemaDifference {
  /**
   * `added`: only the wanted schema has it; `changed`: both have it; `missing`: only the present
   * one has it.
   */
  readonly kind: 'added' | 'changed' | 'missing';
  /** Such as `node Word`, `node Word.Lemma`, `edge HasSense.inverse`. */
  readonly what: string;
  readonly present?: string;
  readonly wanted?: string;
}

/**
 * In what a wanted schema differs from the present one. To put it adds what is added and tries to
 * change what is changed; what is missing in it stays, since a schema only grows (open-shapes,
 * section 4).
 */
export function diffSchemas(present: SchemaDocument, wanted: SchemaDocument): SchemaDifference[] {
  const before = properties(present);
  const after = properties(wanted);
  const differences: SchemaDifference[] = [];
  for (const [what, value] of after) {
    const old = before.get(what);
    if (old === undefined) differences.push({ kind: 'added', what, wanted: value });
    else if (old !== value)
      differences.push({ kind: 'changed', what, present: old, wanted: value });
  }
  for (const [what, value] of before) {
    if (!after.has(what)) differences.push({ kind: 'missing', what, present: value });
  }
  return differences.toSorted((a, b) => (a.what < b.what ? -1 : 1));
}

/** The schema as a flat list, which two schemas can be compared by. */
function properties(schema: SchemaDocument): Map<string, string> {
  const list = new Map<string, string>();
  for (const { type, fields, key, label, timestamp, indexes = [] } of schema.nodes) {
    addType(list, `node ${type}`, fields, { key, label, timestamp });
    for (const { field, fields: several = [field], unique } of indexes) {
      list.set(`node ${type} index ${several.join(', ')}`, unique === true ? 'unique' : '');
    }
  }
  for (const { type, fields, inverse } of schema.edges) {
    addType(list, `edge ${type}`, fields ?? {}, { inverse });
  }
  return list;
}

function addType(
  list: Map<string, string>,
  name: string,
  fields: Readonly<Record<string, string>>,
  roles: Readonly<Record<string, string | undefined>>,
): void {
  list.set(name, '');
  for (const [field, type] of Object.entries(fields)) list.set(`${name}.${field}`, type);
  for (const [role, value] of Object.entries(roles)) {
    if (value !== undefined) list.set(`${name} ${role}`, value);
  }
}

const SIGNS = { added: '+', changed: '~', missing: '-' } as const;

export function differenceText({ kind, what, present, wanted }: SchemaDifference): string {
  const values = [present, wanted].filter((value) => value !== undefined && value !== '');
  return `${SIGNS[kind]} ${what}${values.length === 0 ? '' : `: ${values.join(' -> ')}`}`;
}
