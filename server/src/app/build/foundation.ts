import type { AuditTrail } from '#access/audit-event.ts';
import type { Clock } from '#base/clock.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { VaultReader } from '#identity/vault.ts';
import type { Logger } from '#observe/logger.ts';
import type { Telemetry } from '#observe/telemetry/telemetry.ts';

/** What nearly every part is built on. What only some need is an argument of theirs. */
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
  /** Undefined unless it was asked for. */
  readonly telemetry: Telemetry | undefined;
  /** Nothing is written here, and no provider of models is asked. */
  readonly isReplica: boolean;
}
