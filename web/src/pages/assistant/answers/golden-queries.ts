import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';

/** Beginning of the key of whatever tells of golden answers. */
export const GOLDEN_KEY = ['golden-answers'] as const;

export const goldenListQuery = queryOptions({
  queryKey: [...GOLDEN_KEY, 'list'],
  queryFn: async ({ signal }) => (await client.goldenAnswers.list({ signal })).items,
});

export const goldenSetQuery = (name: string) =>
  queryOptions({
    queryKey: [...GOLDEN_KEY, 'one', name],
    queryFn: ({ signal }) => client.goldenAnswers.get(name, { signal }),
  });

export const goldenRunsQuery = (name: string) =>
  queryOptions({
    queryKey: [...GOLDEN_KEY, 'runs', name],
    queryFn: async ({ signal }) => (await client.goldenAnswers.listRuns(name, { signal })).items,
  });

/** A run with its answers; without `compare` against the one before. */
export const goldenReportQuery = (name: string, run: number, compare: number | undefined) =>
  queryOptions({
    queryKey: [...GOLDEN_KEY, 'report', name, run, compare],
    queryFn: ({ signal }) =>
      client.goldenAnswers.getRun(name, run, compare === undefined ? {} : { compare }, { signal }),
  });
