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

/** How the log of a failed job names a node whose value another one has. */
const OFFENDER = /^Another node has a value of ([^\s.]+)\.$/;
/** A job names its index first, and from its first commit on also how far it is. */
const STEP = /^(?:Building the index of )?([^:]+)(?:: (.+))?$/;

/** The jobs that build indexes, newest first. */
export const indexJobsQuery = queryOptions({
  queryKey: ['jobs', 'of indexes'],
  queryFn: async ({ signal }): Promise<readonly Job[]> =>
    (await client.jobs.list({ kind: 'schema-index', take: TAKE }, { signal })).items,
});

/** The nodes that kept a unique index from being built: some of them, by UID. */
export const offendersQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['index-offenders', jobId],
    queryFn: async ({ signal }): Promise<readonly string[]> => {
      const { log } = await client.jobs.get(jobId, { signal });
      return log.flatMap(({ text }) => OFFENDER.exec(text)?.[1] ?? []);
    },
    staleTime: Infinity,
  });

/** The index that a job builds, such as `Book (Year, Title)`, and how far it is. */
export function indexStepOf({ step }: Job): { readonly name: string; readonly progress: string } {
  const [, name = step, progress = 'Begins'] = STEP.exec(step) ?? [];
  return { name, progress };
}

/** The schema, which is read again as long as an index is being built. */
export function useWatchedSchema() {
  return useQuery({
    ...schemaQuery,
    refetchInterval: ({ state: { data } }) => hasBuilding(data) && READ_AGAIN_MS,
  });
}

function hasBuilding(schema: SchemaDocument | undefined): boolean {
  return schema?.nodes.some(({ indexes }) => indexes?.some(isBuilding)) === true;
}

function isBuilding({ state }: IndexDocument): boolean {
  return state === 'building';
}

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
export function useListedIndexes(schema: SchemaDocument): readonly ListedIndex[] {
  const { data: jobs } = useQuery({
    ...indexJobsQuery,
    refetchInterval: ({ state: { data } }) =>
      (hasBuilding(schema) || data?.some(isRunning) === true) && READ_AGAIN_MS,
  });
  useWatchedSchema();
  const running = new Map(jobs?.filter(isRunning).map((job) => [indexStepOf(job).name, job]));
  return schema.nodes.flatMap((type) => {
    const types = new Map(indexableFields(type).map((field) => [field.name, field.type]));
    return (type.indexes ?? []).map((document) => {
      const names = fieldNamesOf(document);
      const fields = names.map((name) => ({ name, type: types.get(name) ?? '' }));
      const job = isBuilding(document)
        ? running.get(`${type.type} (${names.join(', ')})`)
        : undefined;
      return { type: type.type, names, fields, document, job };
    });
  });
}

function isRunning({ state }: Job): boolean {
  return state === 'running';
}
