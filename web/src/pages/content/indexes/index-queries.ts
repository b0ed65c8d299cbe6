import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Job } from '@trellis/contract/shapes/job.ts';
import type { IndexDocument, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { useEffect } from 'react';
import { client } from '../../../api/client.ts';
import { liveConnection } from '../../../app/live-connection.ts';
import { tellsOfView } from '../../../app/live-queries.ts';
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
const tellsOfSchema = tellsOfView('schema');

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

/** The schema, read again whenever the server tells of a change, such as an index that is ready. */
export function useWatchedSchema() {
  const queries = useQueryClient();
  useEffect(
    () =>
      liveConnection.onMessage((message) => {
        // The first message of a connection: what was told before it is lost.
        if (message.type === 'REPLICAS_CHANGED' || tellsOfSchema(message)) {
          void readNewestSchema(queries);
        }
      }),
    [queries],
  );
  return useQuery(schemaQuery);
}

/** A replica may lag behind the server that told: the primary is asked. */
async function readNewestSchema(queries: QueryClient): Promise<void> {
  const { queryKey } = schemaQuery;
  await queries.cancelQueries({ queryKey });
  await queries
    .fetchQuery({
      queryKey,
      queryFn: ({ signal }) => client.schema.get({ signal, forcePrimary: true }),
      staleTime: 0,
    })
    // What is known stays.
    .catch(() => undefined);
}

function isBuilding({ state }: IndexDocument): boolean {
  return state === 'building';
}

/**
 * The server tells administrators of every change. The jobs are read again when one begins or ends;
 * between the two only its progress changes.
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
      }),
    [queries],
  );
}

/** All indexes of the schema, each with the job that builds it. */
export function useListedIndexes(schema: SchemaDocument): readonly ListedIndex[] {
  const { data: jobs } = useQuery(indexJobsQuery);
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
