import type { SchemaBreak } from '@trellis/contract/shapes/schema-change.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { GoldenSet } from '@trellis/contract/shapes/search-evaluation.ts';
import type { SearchSettings } from '@trellis/contract/shapes/search.ts';
import { readSetting } from '#access/settings.ts';
import { tagOf } from '#graph/field-types.ts';
import { mayIndexWith } from '#graph/indexes/index-merge.ts';
import type { GraphReader } from '#graph/reader.ts';
import { TYPE_ACCESS_SETTING, typeAccessOf } from '#graph/type-access.ts';
import { type LlmSearchLists, LLM_SEARCH_SETTING } from '#search/settings/llm-search-settings.ts';
import { fittingSettings, SEARCH_SETTING } from '#search/settings/search-settings.ts';
import { NamesOfNow, type PlannedChange } from './change-plan.ts';

/** A type or a field, by its name of now, that is dropped or gets another type. */
interface Gone {
  readonly type: string;
  readonly field: string | undefined;
  /** The type that the field gets; undefined when it is dropped. */
  readonly to: string | undefined;
}

/**
 * What else than code names what is dropped or gets another type. Renames break nothing of it:
 * settings and rules follow them, golden sets go on by the former names.
 */
export function brokenSettings(
  reader: GraphReader,
  changes: readonly PlannedChange[],
  goldenSets: readonly GoldenSet[],
): SchemaBreak[] {
  return goneIn(changes).flatMap((gone) => [
    ...searchSettings(reader, gone),
    ...accessRules(reader, gone),
    ...goldenSets.flatMap((set) => goldenSet(reader, set, gone)),
    ...indexes(reader.schema(), gone),
  ]);
}

function goneIn(changes: readonly PlannedChange[]): Gone[] {
  const names = new NamesOfNow();
  return changes.flatMap((change): Gone[] => {
    if ('rename' in change) {
      names.take(change.rename);
      return [];
    }
    const place = 'drop' in change ? change.drop : change.retype;
    if (place.type === undefined) return [];
    const type = names.owner('type', place.type);
    const { field } = place;
    const to = 'retype' in change ? change.retype.to : undefined;
    return [{ type, field: field && names.field('type', type, field), to }];
  });
}

function placeOf({ type, field }: Gone): string {
  return field === undefined ? type : `${type}.${field}`;
}

function searchSettings(reader: GraphReader, gone: Gone): SchemaBreak[] {
  const { type, field, to } = gone;
  const kind = 'searchSetting';
  const name = placeOf(gone);
  const breaks: SchemaBreak[] = [];
  // Only the services of the settings write them, after a check.
  const stored = readSetting(reader, SEARCH_SETTING) as SearchSettings | undefined;
  const own =
    stored !== undefined && Object.hasOwn(stored.types, type) ? stored.types[type] : undefined;
  if (own !== undefined && field === undefined) {
    breaks.push({ kind, name, why: 'The search settings name the type' });
  } else if (own !== undefined && field !== undefined && Object.hasOwn(own.fields, field)) {
    const fields = to === undefined ? {} : { [field]: to };
    const after = { type, fields } as SchemaDocument['nodes'][number];
    const only = { types: { [type]: { ...own, fields: { [field]: own.fields[field] ?? {} } } } };
    const fitting = fittingSettings(only, [after]).types[type]?.fields[field] ?? {};
    const before = Object.keys(own.fields[field] ?? {});
    const unfit = before.filter((part) => !Object.hasOwn(fitting, part));
    if (unfit.length > 0) {
      const why = `The search settings use the field for ${unfit.join(' and ')}`;
      breaks.push({ kind, name, why });
    }
  }
  const lists = readSetting(reader, LLM_SEARCH_SETTING) as LlmSearchLists | undefined;
  const isListed =
    to === undefined &&
    (field === undefined
      ? lists?.nodeTypes.includes(type)
      : lists?.filters.includes(field) && !isElsewhere(reader.schema(), gone));
  if (isListed === true) breaks.push({ kind, name, why: 'Models may search by it' });
  return breaks;
}

/** Whether another type has a field of this name, too. */
function isElsewhere({ nodes }: SchemaDocument, { type, field = '' }: Gone): boolean {
  return nodes.some((one) => one.type !== type && Object.hasOwn(one.fields, field));
}

function accessRules(reader: GraphReader, gone: Gone): SchemaBreak[] {
  const { type, field, to } = gone;
  const rules = typeAccessOf(readSetting(reader, TYPE_ACCESS_SETTING));
  const rule = Object.hasOwn(rules, type) ? rules[type] : undefined;
  const isNamed =
    field === undefined ? rule !== undefined : Object.hasOwn(rule?.fields ?? {}, field);
  if (to !== undefined || !isNamed) return [];
  const why = 'A rule of access is about it; the rule stays for whatever gets the name';
  return [{ kind: 'access', name: placeOf(gone), why }];
}

function goldenSet(
  reader: GraphReader,
  { name, request = {}, queries }: GoldenSet,
  { type, field, to }: Gone,
): SchemaBreak[] {
  if (to !== undefined) return [];
  const { types, fields, filters } = request;
  const broken = (why: string): SchemaBreak[] => [{ kind: 'goldenSet', name, why }];
  const isOfType = types === undefined || namesIn(types).includes(type);
  if (field !== undefined) {
    const named = [...namesIn(fields), ...fieldsIn(filters)];
    return isOfType && named.includes(field) ? broken(`Its searches name the field ${field}`) : [];
  }
  if (namesIn(types).includes(type)) return broken(`Its searches name the type ${type}`);
  const isRelevant = queries.some(({ relevant }) =>
    relevant.some((one) => {
      const id = reader.id({ uid: typeof one === 'string' ? one : one.uid });
      return id !== undefined && reader.typeOf(id) === type;
    }),
  );
  return isRelevant ? broken(`Nodes of ${type} are among its answers`) : [];
}

/** A search refuses what is no list of names. */
function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function fieldsIn(filters: unknown): string[] {
  if (Array.isArray(filters)) return filters.map((one: unknown) => String(Object(one).field));
  return Object.keys(Object(filters));
}

function indexes({ nodes }: SchemaDocument, { type, field, to }: Gone): SchemaBreak[] {
  const known = nodes.find((one) => one.type === type)?.indexes ?? [];
  return known.flatMap((index): SchemaBreak[] => {
    const names = index.fields ?? [index.field ?? ''];
    const name = `${type} (${names.join(', ')})`;
    if (field === undefined) return [{ kind: 'index', name, why: 'It goes with its type' }];
    if (!names.includes(field)) return [];
    if (to === undefined) return [{ kind: 'index', name, why: 'It goes with the field' }];
    const mayStay = names.length === 1 || mayIndexWith(tagOf(to) ?? 0);
    const why = `An index of several fields takes no ${to}, so it goes`;
    return mayStay ? [] : [{ kind: 'index', name, why }];
  });
}
