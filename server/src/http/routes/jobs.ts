import { operations } from '@trellis/contract/operations/jobs.ts';
import { answer, routesOf } from '../route.ts';
import { type ServerEvent, eventStreamRoute, sequenceOf } from '../event-stream.ts';
import type { JobNews } from '#jobs/job-record.ts';

export const jobsRoutes = routesOf(operations, {
  listJobs: async ({ caller, query }, { jobs }) => answer(200, await jobs.list(caller, query)),
  getJob: async ({ caller, params }, { jobs }) => answer(200, await jobs.get(caller, params.id)),
  cancelJob: async ({ caller, params }, { jobs }) =>
    answer(202, await jobs.cancel(caller, params.id)),
  watchJob: eventStreamRoute(
    operations.watchJob,
    ({ caller, params, lastEventId, signal }, { jobs }) =>
      events(jobs.watch(caller, params.id, { after: sequenceOf(lastEventId), signal })),
  ),
});

async function* events(news: AsyncIterable<JobNews>): AsyncGenerator<ServerEvent[]> {
  for await (const { job, lines, revision } of news) {
    const told = lines.map(({ at, text, revision: id }) => ({
      event: 'log',
      id: String(id),
      data: { at, text },
    }));
    yield [...told, { event: 'job', id: String(revision), data: job }];
  }
}
