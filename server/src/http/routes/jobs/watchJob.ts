import { watchJob as operation } from '@trellis/contract/operations/jobs.ts';
import { eventStreamRoute, sequenceOf, type ServerEvent } from '../../event-stream.ts';
import type { JobNews } from '../../operations-services.ts';

export const watchJob = eventStreamRoute(
  operation,
  ({ caller, params, lastEventId, signal }, { jobs }) =>
    events(jobs.watch(caller, params.id, { after: sequenceOf(lastEventId), signal })),
);

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
