import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Job } from '@trellis/contract/shapes/job.ts';
import type { IndexDocument, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { useEffect } from 'react';
import { client } from '../../../api/client.ts';
import { liveConnection } from '../../../app/live-connection.ts';
import { schemaQuery } from '../schema.ts';
import { fieldNamesOf, indexableFields } from './field-index.ts';

/** An index with what is shown of it. */
export interface ListedIndex {
  readonly type: string;
  readonly names: readonly string[];
  readonly fields: readonly { readonly name: string; readonly type: string }[];
  readonly document: IndexDocument;
  /** The job that builds it now. */
  readonly job: Job | undefined;
}

const TAKE = 50;
/** As long as one is being built: the schema may come from a replica that lags. */
const READ_AGAIN_MS = 2_000;

/** The jobs that build indexes, newest first. */
export const indexJobsQuery = queryOptions({
  queryKey: ['jobs', 'of indexes'],
  queryFn: async ({ signal }): Promise<readonly Job[]> =>
    (await client.jobs.list({ kind: 'schema-index', take: TAKE }, { signal })).items,
});

/**
 * The server tells administrators of every change. The schema is read again when a job begins or
 * ends; between the two only its progress changes.
 */
export function useIndexJobMessages(): void {
  const queries = useQueryClient();
  useEffect(
    () =>
      liveConnection.onMessage((message) => {
        if (message.type !== 'JOB_CHANGED' || message.job.kind !== 'schema-index') return;
        const { job } = message;
        const { queryKey } = indexJobsQuery;
        const known = queries.getQueryData(queryKey);
        const before = known?.find(({ id }) => id === job.id);
        if (known !== undefined && before?.state === job.state) {
          const changed = known.map((one) => (one.id === job.id ? job : one));
          queries.setQueryData(queryKey, changed);
          return;
        }
        void queries.invalidateQueries({ queryKey });
        void queries.invalidateQueries({ queryKey: schemaQuery.queryKey });
      }),
    [queries],
  );
}

/** All indexes of the schema, which is read again as long as one is being built. */
export function useListedIndexes({ nodes }: SchemaDocument): readonly ListedIndex[] {
  const listed = nodes.flatMap((type) => {
    const types = new Map(indexableFields(type).map((field) => [field.name, field.type]));
    return (type.indexes ?? []).map((document) => {
      const names = fieldNamesOf(document);
      const fields = names.map((name) => ({ name, type: types.get(name) ?? '' }));
      return { type: type.type, names, fields, document };
    });
  });
  const building = listed.filter(({ document }) => document.state === 'building');
  const { data: jobs } = useQuery({
    ...indexJobsQuery,
    refetchInterval: ({ state: { data } }) =>
      (building.length > 0 || data?.some(isRunning) === true) && READ_AGAIN_MS,
  });
  useQuery({ ...schemaQuery, refetchInterval: building.length > 0 && READ_AGAIN_MS });
  // They are built one after the other, and those that wait have no values yet.
  const begun = building.filter(({ document }) => (document.entries ?? 0) > 0);
  const [built] = building.length === 1 ? building : begun;
  return listed.map((index) => ({
    ...index,
    job: index === built ? jobs?.find(isRunning) : undefined,
  }));
}

function isRunning({ state }: Job): boolean {
  return state === 'running';
}
