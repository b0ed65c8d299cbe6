import { DUPLICATE_NODES_MAX } from '@trellis/contract/limits.ts';
import {
  DUPLICATE_NEIGHBORS_MAX,
  DUPLICATE_NEIGHBOR_EDGES_MAX,
  DUPLICATE_VALUE_CHARACTERS_MAX,
  DUPLICATE_VALUE_CHARACTERS_MIN,
} from '#base/duplicate-limits.ts';
import type { GraphReader } from '#graph/reader.ts';
import { isSystemName } from '#graph/names.ts';
import { normalise, type Profile, wordsOf } from './comparison.ts';

const NODES_AT_ONCE = 256;

/** What of a type is compared. */
export interface ComparedFields {
  /** The field that names a node: the label of the type, its key, or its first text. */
  readonly name: string | undefined;
  readonly fields: readonly string[];
}

/** `wanted` are the fields of the rule; undefined: all texts of the type. */
export function comparedFields(
  reader: GraphReader,
  typeName: string,
  wanted: readonly string[] | undefined,
): ComparedFields {
  const type = reader.schema().nodes.find((one) => one.type === typeName);
  const fields = type?.fields ?? {};
  const texts = Object.keys(fields).filter((field) => fields[field] === 'String');
  const name = type?.label ?? type?.key ?? texts[0];
  return { name, fields: (wanted ?? texts).filter((field) => field !== name) };
}

/** Nodes of a type as they are compared, newest first, and whether there are more. */
export async function readProfiles(
  reader: GraphReader,
  type: string,
  { name, fields }: ComparedFields,
  rest: (done: number) => Promise<void> | undefined,
): Promise<{ readonly profiles: readonly Profile[]; readonly isCut: boolean }> {
  const profiles: Profile[] = [];
  const walk = reader.walkType(type);
  const names = [...(name === undefined ? [] : [name]), 'Id', ...fields];
  for (;;) {
    reader.refresh();
    const ids = walk.next(NODES_AT_ONCE);
    for (const id of ids) {
      if (profiles.length === DUPLICATE_NODES_MAX) return { profiles, isCut: true };
      const values = reader.fields(id, names)?.values;
      if (values === undefined) continue;
      const texts = values.map((value) => (typeof value === 'string' ? value : undefined));
      const [key, own] = [texts[names.indexOf('Id')], name === undefined ? undefined : texts[0]];
      profiles.push({
        id,
        name: wordsOf(own ?? key ?? ''),
        fields: valuesOf(fields, texts.slice(names.length - fields.length)),
        neighbors: neighborsOf(reader, id),
      });
    }
    await rest(profiles.length);
    if (ids.length < NODES_AT_ONCE) return { profiles, isCut: false };
  }
}

function valuesOf(
  fields: readonly string[],
  texts: readonly (string | undefined)[],
): Map<string, string> {
  const values = new Map<string, string>();
  for (const [i, field] of fields.entries()) {
    const value = normalise((texts[i] ?? '').slice(0, DUPLICATE_VALUE_CHARACTERS_MAX));
    if (value.length >= DUPLICATE_VALUE_CHARACTERS_MIN) values.set(field, value);
  }
  return values;
}

function neighborsOf(reader: GraphReader, id: number): Set<number> {
  const found = new Set<number>();
  if (reader.degree(id) > DUPLICATE_NEIGHBORS_MAX) return found;
  for (const direction of ['out', 'in'] as const) {
    for (const other of reader.neighbors(id, direction)) {
      if (other === id || found.has(other) || reader.degree(other) > DUPLICATE_NEIGHBOR_EDGES_MAX)
        continue;
      if (!isSystemName(reader.typeOf(other) ?? '_')) found.add(other);
    }
  }
  return found;
}
