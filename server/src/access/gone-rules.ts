import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { TypeAccess, TypeAccessByType } from '#graph/type-access.ts';

/*
 * Rules whose type or field was dropped from the schema stay in the setting, unseen: they are there
 * when the drop is undone, and hold for a new type or field that gets the name.
 */

/** The rules of what the schema has. */
export function rulesInSchema(types: TypeAccessByType, schema: SchemaDocument): TypeAccessByType {
  return mapRules(types, schema, (names, rule) => {
    if (names === undefined) return undefined;
    return rule.fields === undefined ? rule : withFields(rule, (field) => names.has(field));
  });
}

/** The given rules, with the stored ones of what the schema has not. */
export function withGoneRules(
  given: TypeAccessByType,
  stored: TypeAccessByType,
  schema: SchemaDocument,
): TypeAccessByType {
  const gone = mapRules(stored, schema, (names, rule) => {
    if (names === undefined) return rule;
    const { fields } = withFields(rule, (field) => !names.has(field));
    return fields === undefined || Object.keys(fields).length === 0 ? undefined : { fields };
  });
  return joinRules(given, gone);
}

/** Rules of which the first ones hold where both have one for the same. */
export function joinRules(first: TypeAccessByType, others: TypeAccessByType): TypeAccessByType {
  const joined = Object.entries(others).map(([type, rule]) => {
    const own = Object.hasOwn(first, type) ? first[type] : undefined;
    const fields = { ...rule.fields, ...own?.fields };
    const hasFields = own?.fields !== undefined || rule.fields !== undefined;
    return [type, { ...rule, ...own, ...(hasFields ? { fields } : {}) }] as const;
  });
  return { ...first, ...Object.fromEntries(joined) };
}

function mapRules(
  types: TypeAccessByType,
  { nodes }: SchemaDocument,
  change: (names: ReadonlySet<string> | undefined, rule: TypeAccess) => TypeAccess | undefined,
): TypeAccessByType {
  const known = new Map(
    nodes.map(({ type, key, fields }) => [
      type,
      new Set([...Object.keys(fields), ...(key === undefined ? [] : [key]), 'Id']),
    ]),
  );
  return Object.fromEntries(
    Object.entries(types).flatMap(([type, rule]) => {
      const changed = change(known.get(type), rule);
      return changed === undefined ? [] : [[type, changed] as const];
    }),
  );
}

function withFields(
  { fields, ...rule }: TypeAccess,
  isKept: (field: string) => boolean,
): TypeAccess {
  if (fields === undefined) return rule;
  const kept = Object.entries(fields).filter(([field]) => isKept(field));
  return { ...rule, fields: Object.fromEntries(kept) };
}
