import type { NodeType } from '#graph/schema-registry.ts';
import type { PlannedType } from './index-plan.ts';

/**
 * A planned type with the names that the schema has now. The index follows a rename a moment later,
 * and what may be read is decided by the names of now. The same object where nothing differs.
 */
export function namedNow(planned: PlannedType, type: NodeType | undefined): PlannedType {
  // The reader's schema may be older than the index.
  if (type === undefined) return planned;
  const names = new Map(type.fields.map(({ origin, name }) => [origin ?? name, name]));
  const { key = 'Id', keyOrigin = key } = type;
  names.set(keyOrigin, key);
  const named = <T extends { readonly name: string; readonly origin: string }>(one: T): T => {
    const name = names.get(one.origin) ?? one.name;
    return name === one.name ? one : { ...one, name };
  };
  const { name } = type;
  const { texts, facets, names: shown, vectors } = planned;
  const isSame =
    planned.name === name &&
    [texts, facets, shown, vectors].every((own) => own.every((one) => named(one) === one));
  const former = formerFields(type);
  if (isSame && former.size === 0) return planned;
  return {
    ...planned,
    name,
    texts: texts.map(named),
    facets: facets.map(named),
    names: shown.map(named),
    vectors: vectors.map(named),
    former,
  };
}

function formerFields({ key, keyAliases, fields }: NodeType): ReadonlyMap<string, string> {
  return new Map([
    ...keyAliases.map((alias) => [alias, key ?? 'Id'] as const),
    ...fields.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name] as const)),
  ]);
}

/** Whether a field is one of those that are asked for, by this name or a former one. */
export function goesBy(
  { former }: Pick<PlannedType, 'former'>,
  name: string,
  asked: readonly string[] | undefined,
): boolean {
  if (asked === undefined || asked.includes(name)) return true;
  return former !== undefined && asked.some((one) => former.get(one) === name);
}
