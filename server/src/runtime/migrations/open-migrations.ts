import type { AuditTrail } from '#access/audit-event.ts';
import type { Clock } from '#base/clock.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import type { CompileVerdicts } from '../compile/compile-verdicts.ts';
import type { EndpointCompiler } from '../compile/endpoint-compiler.ts';
import type { CodeHistory } from '../history/code-history.ts';
import type { InvocationServices } from '../invocation.ts';
import type { RuntimeLogger } from '../runtime-logger.ts';
import { MigrationRunner } from './migration-runner.ts';
import { MigrationService } from './migration-service.ts';
import { MigrationStates } from './migration-states.ts';
import type { MigrationStore } from './migration-store.ts';

export interface MigrationsOptions {
  /** The folder of the state; absolute. */
  readonly storage: string;
  /** Of an encrypted graph. */
  readonly environmentKey: string | undefined;
  readonly store: MigrationStore;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly jobs: JobRegistry;
  readonly clock: Clock;
  readonly logger: RuntimeLogger;
  readonly redact: (json: string) => string;
  readonly compiler: EndpointCompiler;
  readonly verdicts: CompileVerdicts;
  readonly history: CodeHistory;
  readonly services: () => InvocationServices;
  readonly cancelWaitMs?: number | undefined;
  readonly forcedEndMs?: number | undefined;
}

export interface OpenMigrations extends AsyncDisposable {
  readonly service: MigrationService;
  /** What the code of the next ones finds. */
  receiveSearch(snapshot: SearchSnapshot): void;
}

/** Puts together what runs code once. */
export function openMigrations(options: MigrationsOptions): OpenMigrations {
  const states = new MigrationStates(options);
  const { storage, environmentKey, logger } = options;
  let newest: SearchSnapshot | undefined;
  const pool = { storage, environmentKey, logger };
  const runner = new MigrationRunner({ ...options, states, pool, search: () => newest });
  return {
    service: new MigrationService({ ...options, states, runner }),
    receiveSearch: (snapshot) => {
      newest = snapshot;
    },
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  };
}
