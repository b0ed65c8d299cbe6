import { CONNECTOR_RUN_TIMEOUT_MS, CONNECTOR_RUNS_AT_ONCE } from '#base/connector-limits.ts';
import { Problem } from '#base/problem.ts';
import type { RunnableTask, StoredTask, TaskWork } from '#tasks/task.ts';
import { originOf } from '@trellis/contract/origins.ts';
import type {
  ConnectorReportDocument,
  ConnectorSource,
} from '@trellis/contract/shapes/connector.ts';
import type { ReadableDisk, SourceReach, SourceReader } from './connector.ts';
import type { ConnectorSecrets } from './connector-secrets.ts';
import { type ConnectorStore, connectorOfTask, taskOf } from './connector-store.ts';
import { SourcePlaces } from './source-places.ts';
import { keptReport } from './run-report.ts';

export interface ConnectorRunsParts {
  readonly store: ConnectorStore;
  readonly secrets: Pick<ConnectorSecrets, 'read'>;
  readonly sources: SourceReader;
  /** The setting of the workspace. */
  readonly allowList: () => readonly string[];
  readonly disk: ReadableDisk;
  /** Told how long each run took, in seconds. */
  readonly onRun: (kind: ConnectorSource['kind'], outcome: RunOutcome, seconds: number) => void;
}

export type RunOutcome = 'succeeded' | 'failed' | 'cancelled';

/** What the runner of tasks knows of connectors: each is a task beside the others. */
export class ConnectorRuns {
  readonly #parts: ConnectorRunsParts;
  readonly #places = new SourcePlaces(CONNECTOR_RUNS_AT_ONCE);
  /** Ids of those whose next run reads everything. */
  readonly #full = new Set<string>();

  constructor(parts: ConnectorRunsParts) {
    this.#parts = parts;
  }

  /** For the scheduler. */
  tasks(): StoredTask[] {
    return this.#parts.store.all().map(taskOf);
  }

  /** For the runner: undefined for what is the task of no connector. */
  find(name: string): RunnableTask | undefined {
    const id = connectorOfTask(name);
    if (id === undefined) return undefined;
    return { name, description: 'Brings a source.', run: (work) => this.#run(id, work) };
  }

  /** Whether the next run of the connector reads everything. */
  askFull(id: string, isFull: boolean): void {
    if (isFull) this.#full.add(id);
    else this.#full.delete(id);
  }

  /**
   * What a source may reach: looked at when it is set up, and before each run. Rejects with
   * `connector_address_not_allowed`.
   */
  async reachOf(
    { url }: ConnectorSource,
    allowed: readonly string[] = this.#parts.allowList(),
  ): Promise<SourceReach> {
    const { disk } = this.#parts;
    if (new URL(url).protocol === 'file:') return { origins: [], disk: await disk.placeOf(url) };
    const origin = originOf(url);
    if (origin !== undefined && allowed.includes(origin)) return { origins: allowed, disk: null };
    const what = origin ?? 'this address';
    throw new Problem('connector_address_not_allowed', `A connector may not reach ${what}`, {
      hint: `An administrator can add ${what} to the setting fetchAllowList of the workspace.`,
      details: { origin: origin ?? null },
    });
  }

  async #run(id: string, work: TaskWork): Promise<ConnectorReportDocument> {
    const { store, secrets, sources, onRun } = this.#parts;
    const isFull = this.#full.delete(id);
    if (this.#places.areTaken) work.log('Waits for runs of other connectors');
    using _place = await this.#places.take(work.signal);
    const connector = store.find(id);
    if (connector === undefined) {
      throw new Problem('connector_not_found', 'The connector was deleted');
    }
    const { source, memory } = connector;
    const begin = performance.now();
    let outcome: RunOutcome = 'failed';
    const late = AbortSignal.timeout(CONNECTOR_RUN_TIMEOUT_MS);
    try {
      const reach = await this.reachOf(source);
      const secret = secrets.read(id);
      if (secret === null && connector.needsSecret) throw withoutSecret();
      const asked = { connector: id, source, secret, reach, memory, isFull };
      const signal = AbortSignal.any([work.signal, late]);
      const report = await sources.run(asked, work.log, signal);
      outcome = 'succeeded';
      return keptReport(report);
    } catch (error) {
      if (work.signal.aborted) outcome = 'cancelled';
      else if (late.aborted) throw new Problem('connector_failed', TOO_LONG, { cause: error });
      throw error;
    } finally {
      onRun(source.kind, outcome, (performance.now() - begin) / 1_000);
    }
  }
}

function withoutSecret(): Problem {
  return new Problem(
    'connector_failed',
    'Its secret is missing: definitions, by which it came, hold none',
    { hint: 'Give the password or token of the source again.' },
  );
}

const TOO_LONG = `The run took longer than ${CONNECTOR_RUN_TIMEOUT_MS / 3_600_000} hours`;
