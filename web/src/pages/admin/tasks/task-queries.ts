import { eachItem } from '@trellis/client/pages.ts';
import { LIST_TAKE_MAX } from '@trellis/contract/limits.ts';
import type { Task } from '@trellis/contract/shapes/task.ts';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';

/** Beginning of the key of whatever tells of tasks. */
export const TASKS_KEY = ['tasks'] as const;
const RUNS_TAKE = 20;

export const taskListQuery = queryOptions({
  queryKey: [...TASKS_KEY, 'list'],
  queryFn: async ({ signal }): Promise<readonly Task[]> =>
    Array.fromAsync(eachItem((page) => client.tasks.list(page, { signal }), LIST_TAKE_MAX)),
});

export const builtInTasksQuery = queryOptions({
  queryKey: [...TASKS_KEY, 'built-in'],
  queryFn: ({ signal }) => client.tasks.listBuiltIn({ signal }),
});

export const taskRunsQuery = (name: string) =>
  queryOptions({
    queryKey: [...TASKS_KEY, 'runs', name],
    queryFn: ({ signal }) => client.tasks.listRuns(name, { take: RUNS_TAKE }, { signal }),
  });

/** What a schedule means; it fails for one that is none. */
export const scheduleQuery = (cron: string, timeZone: string) =>
  queryOptions({
    queryKey: ['schedule', cron, timeZone],
    queryFn: ({ signal }) => client.tasks.checkSchedule({ cron, timeZone }, { signal }),
    retry: false,
    enabled: cron.trim() !== '' && timeZone !== '',
  });
