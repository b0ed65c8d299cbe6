import type { GraphReader, NodeObject, Visibility } from '#graph/reader.ts';

export interface SearchPage {
  readonly skip: number;
  readonly take: number;
  /** Part of a name, in any case. */
  readonly query?: string | undefined;
}

export interface Page<T> {
  readonly items: T[];
  readonly total: number;
  readonly skip: number;
  readonly take: number;
}

/**
 * A page of nodes that the caller may see, in the order of the first of the searched fields, of which one holds what is
 * looked for; a field that the caller may not read holds nothing.
 */
export function pageOfNodes<T extends NodeObject>(
  reader: GraphReader,
  visibility: Visibility,
  ids: readonly number[],
  searched: readonly string[],
  { skip, take, query = '' }: SearchPage,
): Page<T> {
  const wanted = query.toLowerCase();
  const [orderedBy = 'UID'] = searched;
  const text = (id: number, field: string): string =>
    visibility.canReadField(id, field) ? String(reader.field(id, field) ?? '').toLowerCase() : '';
  const found = ids
    .filter((id) => wanted === '' || searched.some((field) => text(id, field).includes(wanted)))
    .map((id) => ({ id, name: text(id, orderedBy) }))
    .toSorted((a, b) => (a.name === b.name ? a.id - b.id : a.name < b.name ? -1 : 1));
  const items = found
    .slice(skip, skip + take)
    .map(({ id }) => ({ id, node: reader.node(id) }))
    .filter(({ node }) => node !== undefined)
    .map(({ id, node }) => visibility.present(id, node as T) as T);
  return { items, total: found.length, skip, take };
}
