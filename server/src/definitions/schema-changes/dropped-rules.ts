import { readSetting } from '#access/settings.ts';
import type { GraphReader } from '#graph/reader.ts';
import {
  type Principals,
  TYPE_ACCESS_SETTING,
  type TypeAccess,
  type TypeAccessByType,
  typeAccessOf,
} from '#graph/type-access.ts';
import { NamesOfNow, type PlannedChange } from './change-plan.ts';
import type { DroppedRule } from './schema-change-store.ts';

/*
 * The rules of what is dropped stay in the setting, under their names. Something else may have got
 * such a name, and another rule, before the undo: so the change keeps them, too.
 */

/** The rules of access of what the changes drop, by the place of the change. */
export function rulesOfDropped(
  reader: GraphReader,
  changes: readonly PlannedChange[],
): Readonly<Record<number, DroppedRule>> {
  const types = rulesIn(reader);
  const names = new NamesOfNow();
  const rules: Record<number, DroppedRule> = {};
  for (const [i, change] of changes.entries()) {
    if ('rename' in change) names.take(change.rename);
    if (!('drop' in change) || change.drop.type === undefined) continue;
    const type = names.owner('type', change.drop.type);
    const own = Object.hasOwn(types, type) ? types[type] : undefined;
    const { field } = change.drop;
    if (field === undefined) {
      // Without a rule only administrators write: that, too, is to hold after the undo.
      rules[i] = { type: own ?? {} };
      continue;
    }
    const rule = own?.fields?.[names.field('type', type, field)];
    if (rule !== undefined) rules[i] = { field: rule };
  }
  return rules;
}

/** The rules with one more: nobody sees more than by that one and by the one of now. */
export function withRule(
  types: TypeAccessByType,
  { type, field }: { readonly type: string; readonly field?: string | undefined },
  rule: DroppedRule,
): TypeAccessByType {
  const now = Object.hasOwn(types, type) ? types[type] : undefined;
  if (field !== undefined && rule.field !== undefined) {
    const { writableBy } = now ?? {};
    const then = { fields: { [field]: rule.field }, ...(writableBy && { writableBy }) };
    return { ...types, [type]: now === undefined ? then : tighter(now, then) };
  }
  const { type: then } = rule;
  if (then === undefined) return types;
  if (now !== undefined) return { ...types, [type]: tighter(now, then) };
  return Object.keys(then).length === 0 ? types : { ...types, [type]: then };
}

/** What both let people see and write. */
export function tighter(now: TypeAccess, then: TypeAccess): TypeAccess {
  const isRestricted = [now, then].some(({ visibleTo }) => visibleTo === 'restricted');
  const { writableBy: ofNow, ...nowRest } = now;
  const { writableBy: ofThen, ...thenRest } = then;
  const fields = { ...then.fields, ...now.fields };
  for (const [name, rule] of Object.entries(then.fields ?? {})) {
    const present = now.fields?.[name];
    fields[name] = present === undefined ? rule : inBoth(present, rule);
  }
  return {
    ...thenRest,
    ...nowRest,
    ...(isRestricted ? { visibleTo: 'restricted' as const } : {}),
    ...(ofNow !== undefined && ofThen !== undefined ? { writableBy: inBoth(ofNow, ofThen) } : {}),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
  };
}

export function inBoth(one: Principals, other: Principals): Principals {
  const both = (a: readonly string[] = [], b: readonly string[] = []) =>
    a.filter((uid) => b.includes(uid));
  return { teams: both(one.teams, other.teams), users: both(one.users, other.users) };
}

function rulesIn(reader: GraphReader): TypeAccessByType {
  return typeAccessOf(readSetting(reader, TYPE_ACCESS_SETTING));
}
