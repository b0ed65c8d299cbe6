import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import { schemaQuery } from '../schema.ts';

const CHANGES_KEY = 'schema-changes';
export const CHANGES_TAKE = 25;

/** One page of the changes that were made, the newest first. */
export const schemaChangesQuery = (skip: number) =>
  queryOptions({
    queryKey: [CHANGES_KEY, skip],
    queryFn: ({ signal }) => client.schema.changes({ skip, take: CHANGES_TAKE }, { signal }),
    placeholderData: (last) => last,
  });

/** After a change, or the undo of one. */
export async function refreshSchema(queries: QueryClient): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: schemaQuery.queryKey }),
    queries.invalidateQueries({ queryKey: [CHANGES_KEY] }),
  ]);
}
