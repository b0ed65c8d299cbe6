import { eachItem } from '@trellis/client/pages.ts';
import { LIST_TAKE_MAX } from '@trellis/contract/limits.ts';
import type { Migration } from '@trellis/contract/shapes/migration.ts';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';

export const MIGRATIONS_KEY = ['migrations'] as const;

export const migrationListQuery = queryOptions({
  queryKey: [...MIGRATIONS_KEY, 'list'],
  queryFn: async ({ signal }): Promise<readonly Migration[]> =>
    Array.fromAsync(eachItem((page) => client.migrations.list(page, { signal }), LIST_TAKE_MAX)),
});

/** After a change; the last three are those of the pages of all code. */
export async function refreshMigrations(queries: QueryClient): Promise<void> {
  const keys = [
    MIGRATIONS_KEY,
    ['code-history'],
    ['build-catalog'],
    ['endpoints', 'compile-status'],
  ];
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
}
