import { systemClock } from '#base/clock.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { JobRegistry } from '#jobs/job-registry.ts';
import { JobStore } from '#jobs/job-store.ts';
import type { Logger } from '#observe/logger.ts';

export interface JobParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly logger: Logger;
  /** Takes the secrets out of JSON text. */
  readonly redact: (json: string) => string;
  readonly isReplica: boolean;
}

/** Jobs of a primary are kept in its graph, those of a replica in its memory. */
export function openJobs({ reader, commits, logger, redact, isReplica }: JobParts): JobRegistry {
  const onFailure = (err: unknown): void => logger.warn({ err }, 'a job is not kept');
  return new JobRegistry({
    clock: systemClock,
    store: isReplica ? undefined : new JobStore({ reader, commits, onFailure }),
    redact: (text) => String(JSON.parse(redact(JSON.stringify(text)))),
  });
}
