import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import { job, jobListQuery, jobWithLog } from '../shapes/job.ts';
import { eventStreamHeaders, listOf } from '../shapes/list.ts';

/** Tokens that begin backups or run tasks see the jobs of that. */
const whose = { auth: 'session', scope: ['admin:backup', 'admin:tasks'] } as const;
const params = z.object({ id: z.string().min(1).max(100) });

export const operations = withIds({
  listJobs: {
    sdk: 'jobs.list',
    area: 'jobs',
    method: 'GET',
    path: '/api/jobs',
    ...whose,
    query: jobListQuery,
    responses: { 200: { description: 'Jobs, newest first.', body: listOf(job) } },
    errors: [],
    onReplica: 'redirect',
    summary:
      'List the long pieces of work that are under way or were done; users see those of their own.',
  },

  getJob: {
    sdk: 'jobs.get',
    area: 'jobs',
    method: 'GET',
    path: '/api/jobs/{id}',
    ...whose,
    params,
    responses: {
      200: { description: 'The job, with the last lines of its log.', body: jobWithLog },
    },
    errors: ['job_not_found'],
    onReplica: 'redirect',
    summary: 'Tell how far a job is; users see those of their own.',
  },

  cancelJob: {
    sdk: 'jobs.cancel',
    area: 'jobs',
    method: 'POST',
    path: '/api/jobs/{id}/cancel',
    ...whose,
    params,
    responses: { 202: { description: 'It is asked to end, and does a moment later.', body: job } },
    errors: ['job_not_found', 'job_not_cancellable', 'job_ended'],
    onReplica: 'redirect',
    summary: 'Ask a job to end before its work is done; users those of their own.',
  },

  /**
   * Server-Sent Events: `log` has a line of the job's log as its data, `job` the job without its
   * log; both have an id. The first `job` comes at once, the others as it changes, and `end` is the
   * last. The header `Last-Event-ID` says what is known already; without it the lines that there
   * are come first.
   */
  watchJob: {
    sdk: 'jobs.watch',
    area: 'jobs',
    method: 'GET',
    path: '/api/jobs/{id}/events',
    ...whose,
    params,
    headers: eventStreamHeaders,
    responses: {
      200: {
        description: 'Events until the job has ended.',
        body: z.string(),
        contentType: 'text/event-stream',
      },
    },
    errors: ['job_not_found', 'too_many_requests'],
    onReplica: 'redirect',
    summary: 'Watch a job until it has ended; users those of their own.',
  },
} as const satisfies Rows);
