import type { AuditTrail } from '#access/audit-event.ts';
import type { Clock } from '#base/clock.ts';
import type { Config } from '#config/config.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { VaultReader } from '#identity/vault.ts';
import type { Logger } from '#observe/logger.ts';
import type { Telemetry } from '#observe/telemetry/telemetry.ts';
import { JobRegistry } from '#jobs/job-registry.ts';
import { JobStore } from '#jobs/job-record.ts';
import type { ViewNotices } from '../view-notices.ts';

/** The parts that nearly every subsystem needs. Parts that only some need are their arguments. */
export interface Foundation {
  readonly reader: StateReader;
  readonly vault: VaultReader;
  /** On a replica it refuses everything. */
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Takes the secrets out of JSON text. */
  readonly redact: (json: string) => string;
  /** Tells pages what to read again. */
  readonly views: Pick<ViewNotices, 'changed'>;
  /** Undefined unless the configuration asks for it. */
  readonly telemetry: Telemetry | undefined;
  /** A replica writes nothing and asks no provider of models. */
  readonly isReplica: boolean;
  /** As `Config` has it. */
  readonly preview: Config['preview'];
}

/** Jobs of a primary are kept in its graph, those of a replica in its memory. */
export function buildJobs(foundation: Foundation): JobRegistry {
  const { reader, commits, logger, clock, redact, isReplica } = foundation;
  const onFailure = (err: unknown): void => logger.warn({ err }, 'a job is not kept');
  return new JobRegistry({
    clock,
    store: isReplica ? undefined : new JobStore({ reader, commits, onFailure }),
    redact: textRedactor(redact),
    logger,
  });
}

/** Takes the secrets out of plain text by what takes them out of JSON text. */
export function textRedactor(redact: Foundation['redact']): (text: string) => string {
  return (text) => String(JSON.parse(redact(JSON.stringify(text))));
}

/** The schema with the types of the server, as of the newest commit. */
export function currentSchema(reader: GraphReader): ReturnType<GraphReader['schema']> {
  reader.refresh();
  return reader.schema();
}
