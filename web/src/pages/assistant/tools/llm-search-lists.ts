import type { LlmSearchSettings } from '@trellis/contract/shapes/search.ts';

/** What is chosen; an empty list stands for all that there is (docs/tools.md). */
export type LlmSearchLists = Pick<LlmSearchSettings, 'nodeTypes' | 'filters'>;

type Available = LlmSearchSettings['available'];

/** Names of filters that the chosen types have. */
export function filtersOf(available: Available, nodeTypes: readonly string[]): string[] {
  const types = nodeTypes.length === 0 ? Object.keys(available) : nodeTypes;
  return [...new Set(types.flatMap((type) => available[type] ?? []))].toSorted();
}

/** Other types: all filters stay all, and those that no chosen type has go. */
export function withTypes(
  available: Available,
  lists: LlmSearchLists,
  nodeTypes: readonly string[],
): LlmSearchLists {
  const hadAll = filtersOf(available, lists.nodeTypes).every((name) =>
    lists.filters.includes(name),
  );
  const known = filtersOf(available, nodeTypes);
  return {
    nodeTypes,
    filters: hadAll ? known : lists.filters.filter((name) => known.includes(name)),
  };
}

/** As it is stored: what is all of a list now is all of it later too, when there are more. */
export function storedLists(available: Available, lists: LlmSearchLists): LlmSearchLists {
  const { nodeTypes, filters } = lists;
  const hasAllTypes = Object.keys(available).every((type) => nodeTypes.includes(type));
  const hasAllFilters = filtersOf(available, nodeTypes).every((name) => filters.includes(name));
  return { nodeTypes: hasAllTypes ? [] : nodeTypes, filters: hasAllFilters ? [] : filters };
}
