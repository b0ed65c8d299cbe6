import { isDeepStrictEqual } from 'node:util';
import type { SearchSettings } from '@trellis/contract/shapes/search.ts';
import { readSetting, settingOperation, settingVersion } from '#access/settings.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Taken } from '#graph/schema-drop.ts';
import type { SchemaRename } from '#graph/schema-rename.ts';
import { TYPE_ACCESS_SETTING, type TypeAccess } from '#graph/type-access.ts';
import { type LlmSearchLists, LLM_SEARCH_SETTING } from '#search/settings/llm-search-settings.ts';
import { SEARCH_SETTING } from '#search/settings/search-settings.ts';
import { inBoth, tighter, withRule } from './dropped-rules.ts';
import type { DroppedRule } from './schema-change-store.ts';

/** What settings follow: a rename, or something that has a rule of access and comes again. */
export type SettingStep =
  | { readonly rename: SchemaRename }
  | { readonly place: Taken; readonly rule: DroppedRule };

/**
 * The settings that name types and fields, with the names that they get: they belong to the commit
 * of the change, so that there is no moment at which a rule about access names nothing.
 */
export function renamedSettings(
  reader: GraphReader,
  steps: readonly SettingStep[],
): readonly WriterOperation[] {
  if (steps.length === 0) return [];
  const renames = steps.flatMap((step) => ('rename' in step ? [step.rename] : []));
  const operations: WriterOperation[] = [];
  const rewrite = <T extends object>(name: string, change: (value: T, one: SchemaRename) => T) => {
    // Only the service of a setting writes it, after a check.
    const stored = readSetting(reader, name) as T | undefined;
    if (stored === undefined) return;
    const changed = renames.reduce(change, stored);
    if (isDeepStrictEqual(changed, stored)) return;
    operations.push(settingOperation(name, changed, settingVersion(reader, name)));
  };
  // Also when nothing differs: a rule that is set meanwhile names what is renamed.
  const access = (readSetting(reader, TYPE_ACCESS_SETTING) ?? { types: {} }) as OfTypes<TypeAccess>;
  operations.push(
    settingOperation(
      TYPE_ACCESS_SETTING,
      accessAfter(access, steps),
      settingVersion(reader, TYPE_ACCESS_SETTING),
    ),
  );
  rewrite(SEARCH_SETTING, inTypes<SearchSettings['types'][string]>);
  rewrite(LLM_SEARCH_SETTING, inLists);
  return operations;
}

/**
 * In the order of the steps: a name may be of one thing before a rename, and of another after it.
 */
function accessAfter(
  access: OfTypes<TypeAccess>,
  steps: readonly SettingStep[],
): OfTypes<TypeAccess> {
  let after = access;
  const owners = new Map<string, string>();
  for (const step of steps) {
    if ('rename' in step) {
      after = inAccess(after, step.rename);
      const { type, field, to } = step.rename;
      if (type !== undefined && field === undefined) owners.set(type, to);
    } else {
      const { type, field } = step.place;
      if (type === undefined) continue;
      // A field is told by the name that its type had before the first step.
      const owner = field === undefined ? type : (owners.get(type) ?? type);
      after = { ...after, types: withRule(after.types, { type: owner, field }, step.rule) };
    }
  }
  return after;
}

/**
 * The key may have two rules, by its own name and as `Id`; one that is renamed to `Id` has one: for
 * those whom both let read it.
 */
function inAccess(access: OfTypes<TypeAccess>, rename: SchemaRename): OfTypes<TypeAccess> {
  const { type, field, to } = rename;
  if (type !== undefined && field === undefined && !Object.hasOwn(access.types, type)) {
    return withoutMore(access, to);
  }
  const changed = inTypes(access, rename);
  const fieldsOf = (one: OfTypes<TypeAccess>) =>
    type !== undefined && Object.hasOwn(one.types, type) ? one.types[type]?.fields : undefined;
  const [before, after] = [fieldsOf(access), fieldsOf(changed)];
  if (type === undefined || field === undefined || before === undefined) return changed;
  const [own, other] = [field, to].map((name) =>
    Object.hasOwn(before, name) ? before[name] : undefined,
  );
  if (own === undefined || other === undefined) return changed;
  const fields = { ...after, [to]: inBoth(own, other) };
  return { ...changed, types: { ...changed.types, [type]: { ...changed.types[type], fields } } };
}

/**
 * A type without a rule gets a name that has one, as of a type that was dropped: nobody may do more
 * than before.
 */
function withoutMore(access: OfTypes<TypeAccess>, name: string): OfTypes<TypeAccess> {
  const { types } = access;
  if (!Object.hasOwn(types, name)) return access;
  return { ...access, types: { ...types, [name]: tighter({}, types[name] ?? {}) } };
}

interface OfTypes<T> {
  readonly types: Readonly<Record<string, T>>;
}

function inTypes<T extends { readonly fields?: Readonly<Record<string, unknown>> | undefined }>(
  settings: OfTypes<T>,
  { type, field, to }: SchemaRename,
): OfTypes<T> {
  if (type === undefined) return settings;
  const { types } = settings;
  if (field === undefined) return { ...settings, types: withKey(types, type, to) };
  const own = Object.hasOwn(types, type) ? types[type] : undefined;
  if (own?.fields === undefined) return settings;
  const changed = { ...own, fields: withKey(own.fields, field, to) };
  return { ...settings, types: { ...types, [type]: changed } };
}

function inLists(lists: LlmSearchLists, { type, field, to }: SchemaRename): LlmSearchLists {
  if (type === undefined) return lists;
  if (field === undefined) {
    return { ...lists, nodeTypes: lists.nodeTypes.map((one) => (one === type ? to : one)) };
  }
  // A filter is for the fields of one name of all types: another type may go on having it.
  const { filters } = lists;
  if (!filters.includes(field) || filters.includes(to)) return lists;
  return { ...lists, filters: filters.flatMap((one) => (one === field ? [one, to] : [one])) };
}

/** In its place, so that an order that people see stays. */
function withKey<T>(record: Readonly<Record<string, T>>, from: string, to: string) {
  if (!Object.hasOwn(record, from)) return record;
  const entries = Object.entries(record).filter(([name]) => name !== to || name === from);
  return Object.fromEntries(
    entries.map(([name, value]) => [name === from ? to : name, value] as const),
  );
}
