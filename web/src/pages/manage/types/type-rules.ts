import type { TypeAccessDocument } from '@trellis/contract/shapes/access.ts';

/** The rules of all types, as the server has them (open-shapes, section 4). */
export type TypeRules = TypeAccessDocument['types'];

export type TypeVisibility = 'everyone' | 'restricted';

/** Who sees the nodes that are restricted to nobody. */
export const VISIBILITIES: Readonly<Record<TypeVisibility, string>> = {
  everyone: 'Everyone who is signed in',
  restricted: 'Owners and administrators',
};

/** Who may do something beside administrators; UIDs. */
export interface Principals {
  readonly teams: readonly string[];
  readonly users: readonly string[];
}

export function visibilityOf(rules: TypeRules, type: string): TypeVisibility {
  return rules[type]?.visibleTo ?? 'everyone';
}

/** Undefined when whoever sees the node reads the field. */
export function readersOf(rules: TypeRules, type: string, field: string): Principals | undefined {
  const access = rules[type]?.fields?.[field];
  return access && { teams: access.teams ?? [], users: access.users ?? [] };
}

/** Who writes nodes of a type; nobody but administrators when it names nobody. */
export function writersOf(rules: TypeRules, type: string): Principals {
  const { teams = [], users = [] } = rules[type]?.writableBy ?? {};
  return { teams, users };
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
      readonly kind: 'writers';
      readonly type: string;
      readonly before: Principals;
      readonly after: Principals;
    }
  | {
      readonly kind: 'field';
      readonly type: string;
      readonly field: string;
      readonly before: Principals | undefined;
      readonly after: Principals | undefined;
    };

export function withVisibility(
  rules: TypeRules,
  type: string,
  visibleTo: TypeVisibility,
): TypeRules {
  return pruned({ ...rules, [type]: { ...rules[type], visibleTo } });
}

export function withWriters(rules: TypeRules, type: string, writableBy: Principals): TypeRules {
  return pruned({ ...rules, [type]: { ...rules[type], writableBy } });
}

export function withReaders(
  rules: TypeRules,
  type: string,
  field: string,
  readers: Principals | undefined,
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
    ...writersChange(before, after, type),
    ...fieldChanges(before, after, type),
  ]);
}

/** The same changes upon other rules: those that somebody else has written in the meantime. */
export function withChanges(rules: TypeRules, changes: readonly RuleChange[]): TypeRules {
  return changes.reduce(withChange, rules);
}

function withChange(rules: TypeRules, change: RuleChange): TypeRules {
  switch (change.kind) {
    case 'visibility':
      return withVisibility(rules, change.type, change.after);
    case 'writers':
      return withWriters(rules, change.type, change.after);
    case 'field':
      return withReaders(rules, change.type, change.field, change.after);
  }
}

function visibilityChange(before: TypeRules, after: TypeRules, type: string): RuleChange[] {
  const [from, to] = [visibilityOf(before, type), visibilityOf(after, type)];
  return from === to ? [] : [{ kind: 'visibility', type, before: from, after: to }];
}

function writersChange(before: TypeRules, after: TypeRules, type: string): RuleChange[] {
  const [from, to] = [writersOf(before, type), writersOf(after, type)];
  return textOf(from) === textOf(to) ? [] : [{ kind: 'writers', type, before: from, after: to }];
}

function fieldChanges(before: TypeRules, after: TypeRules, type: string): RuleChange[] {
  const fields = new Set([...fieldsWithRules(before, type), ...fieldsWithRules(after, type)]);
  return [...fields].toSorted().flatMap((field): RuleChange[] => {
    const [from, to] = [readersOf(before, type, field), readersOf(after, type, field)];
    if (textOf(from) === textOf(to)) return [];
    return [{ kind: 'field', type, field, before: from, after: to }];
  });
}

function textOf(readers: Principals | undefined): string {
  return JSON.stringify(readers && [readers.teams.toSorted(), readers.users.toSorted()]);
}

/** Without what says nothing: a type that everybody sees, nobody writes and that has no rules. */
function pruned(rules: TypeRules): TypeRules {
  return Object.fromEntries(
    Object.entries(rules).flatMap(([type, { visibleTo, fields = {} }]) => {
      const writableBy = writersOf(rules, type);
      const hasWriters = writableBy.teams.length + writableBy.users.length > 0;
      const isRestricted = visibleTo === 'restricted';
      const hasFields = Object.keys(fields).length > 0;
      if (!isRestricted && !hasWriters && !hasFields) return [];
      const rule = {
        ...(isRestricted && { visibleTo }),
        ...(hasWriters && { writableBy }),
        ...(hasFields && { fields }),
      };
      return [[type, rule]];
    }),
  );
}
