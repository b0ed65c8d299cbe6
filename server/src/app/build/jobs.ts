import { JobRegistry } from '#jobs/job-registry.ts';
import { JobStore } from '#jobs/job-store.ts';
import type { Foundation } from './foundation.ts';

/** Jobs of a primary are kept in its graph, those of a replica in its memory. */
export function buildJobs({
  reader,
  commits,
  logger,
  clock,
  redact,
  isReplica,
}: Foundation): JobRegistry {
  const onFailure = (err: unknown): void => logger.warn({ err }, 'a job is not kept');
  return new JobRegistry({
    clock,
    store: isReplica ? undefined : new JobStore({ reader, commits, onFailure }),
    redact: (text) => String(JSON.parse(redact(JSON.stringify(text)))),
  });
}
