import type { TypeAccessDocument } from '@trellis/contract/shapes/access.ts';

/** The rules of all types, as the server has them (open-shapes, section 4). */
export type TypeRules = TypeAccessDocument['types'];

export type TypeVisibility = 'everyone' | 'restricted';

/** Who reads a field beside administrators; UIDs. */
export interface FieldReaders {
  readonly teams: readonly string[];
  readonly users: readonly string[];
}

export function visibilityOf(rules: TypeRules, type: string): TypeVisibility {
  return rules[type]?.visibleTo ?? 'everyone';
}

/** Undefined when whoever sees the node reads the field. */
export function readersOf(rules: TypeRules, type: string, field: string): FieldReaders | undefined {
  const access = rules[type]?.fields?.[field];
  return access && { teams: access.teams ?? [], users: access.users ?? [] };
}

export function fieldsWithRules(rules: TypeRules, type: string): readonly string[] {
  return Object.keys(rules[type]?.fields ?? {}).toSorted();
}

/** One thing that is another in the rules after a change. */
export type RuleChange =
  | {
      readonly kind: 'visibility';
      readonly type: string;
      readonly before: TypeVisibility;
      readonly after: TypeVisibility;
    }
  | {
      readonly kind: 'field';
      readonly type: string;
      readonly field: string;
      readonly before: FieldReaders | undefined;
      readonly after: FieldReaders | undefined;
    };

export function withVisibility(
  rules: TypeRules,
  type: string,
  visibleTo: TypeVisibility,
): TypeRules {
  return pruned({ ...rules, [type]: { ...rules[type], visibleTo } });
}

export function withReaders(
  rules: TypeRules,
  type: string,
  field: string,
  readers: FieldReaders | undefined,
): TypeRules {
  const { [field]: _last, ...others } = rules[type]?.fields ?? {};
  const fields = readers === undefined ? others : { ...others, [field]: readers };
  return pruned({ ...rules, [type]: { ...rules[type], fields } });
}

/** Everything that is another in `after`, by type and field. */
export function changesBetween(before: TypeRules, after: TypeRules): readonly RuleChange[] {
  const types = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return types.flatMap((type) => [
    ...visibilityChange(before, after, type),
    ...fieldChanges(before, after, type),
  ]);
}

/** The same changes upon other rules: those that somebody else has written in the meantime. */
export function withChanges(rules: TypeRules, changes: readonly RuleChange[]): TypeRules {
  return changes.reduce(
    (last, change) =>
      change.kind === 'visibility'
        ? withVisibility(last, change.type, change.after)
        : withReaders(last, change.type, change.field, change.after),
    rules,
  );
}

function visibilityChange(before: TypeRules, after: TypeRules, type: string): RuleChange[] {
  const [from, to] = [visibilityOf(before, type), visibilityOf(after, type)];
  return from === to ? [] : [{ kind: 'visibility', type, before: from, after: to }];
}

function fieldChanges(before: TypeRules, after: TypeRules, type: string): RuleChange[] {
  const fields = new Set([...fieldsWithRules(before, type), ...fieldsWithRules(after, type)]);
  return [...fields].toSorted().flatMap((field): RuleChange[] => {
    const [from, to] = [readersOf(before, type, field), readersOf(after, type, field)];
    if (textOf(from) === textOf(to)) return [];
    return [{ kind: 'field', type, field, before: from, after: to }];
  });
}

function textOf(readers: FieldReaders | undefined): string {
  return JSON.stringify(readers && [readers.teams.toSorted(), readers.users.toSorted()]);
}

/** Without what says nothing: a type that everybody sees and whose fields have no rules. */
function pruned(rules: TypeRules): TypeRules {
  return Object.fromEntries(
    Object.entries(rules).flatMap(([type, { visibleTo, fields = {} }]) => {
      const isRestricted = visibleTo === 'restricted';
      const hasFields = Object.keys(fields).length > 0;
      if (!isRestricted && !hasFields) return [];
      return [[type, { ...(isRestricted && { visibleTo }), ...(hasFields && { fields }) }]];
    }),
  );
}
