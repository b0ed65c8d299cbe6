import type { AccessIndex } from '#access/access-index.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import {
  CONNECTOR_ACCESS_READS_AT_ONCE,
  CONNECTOR_ACCESS_TIMEOUT_MS,
  CONNECTOR_TEST_TIMEOUT_MS,
  CONNECTOR_TESTS_AT_ONCE,
} from '#base/connector-limits.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { StagedCommits } from '#graph/staged-commits.ts';
import { shorten } from '#graph/names.ts';
import type { VaultWrite } from '#identity/vault.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import { SERVER } from '#jobs/job-viewer.ts';
import { Schedule } from '#tasks/schedule.ts';
import type { TaskRunStore } from '#tasks/task-run-store.ts';
import type { TaskRunner } from '#tasks/task-runner.ts';
import type { TaskScheduler } from '#tasks/task-scheduler.ts';
import { CONNECTORS_MAX } from '@trellis/contract/limits.ts';
import { originOf } from '@trellis/contract/origins.ts';
import type {
  Connector,
  ConnectorAccess,
  ConnectorChange,
  ConnectorDefinition,
  ConnectorRunDocument,
  ConnectorSource,
  ConnectorTest,
  ConnectorTestResult,
} from '@trellis/contract/shapes/connector.ts';
import type { JobWithLog } from '@trellis/contract/shapes/job.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type { ConnectorSettings, SourceReader, StoredConnector } from './connector.ts';
import type { ConnectorRuns } from './connector-runs.ts';
import { type ConnectorSecrets, mayKeep, requireKeepable } from './connector-secrets.ts';
import {
  ConnectorStore,
  deleteConnector,
  taskName,
  taskOf,
  writeConnector,
} from './connector-store.ts';
import { runOf } from './run-report.ts';
import { type ResolveNames, SourceAccess } from './source-access.ts';

export interface ConnectorServiceParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  readonly store: ConnectorStore;
  readonly secrets: ConnectorSecrets;
  readonly sources: SourceReader;
  readonly work: Pick<ConnectorRuns, 'reachOf' | 'askFull'>;
  readonly access: AccessIndex;
  readonly resolve: ResolveNames;
  readonly jobs: JobRegistry;
  readonly runs: Pick<TaskRunStore, 'list' | 'last' | 'removals' | 'forget'>;
  readonly runner: Pick<TaskRunner, 'start' | 'jobOf' | 'requireIdle'>;
  readonly scheduler: Pick<TaskScheduler, 'look'>;
  /** Not in a preview. */
  readonly runsByItself: boolean;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Told when there is another connector, or one is set up in another way. */
  readonly onChange: () => void;
  /** Has done what follows a commit: at once, or once the one is made that it is a part of. */
  readonly afterwards: (work: () => unknown) => unknown;
}

/** Who changes something, and from where. */
interface By {
  readonly caller: Caller;
  readonly address: string;
}

type ConnectorDeed = 'created' | 'changed' | 'deleted' | 'tested' | 'run' | 'cancelled';

/** The connectors that administrators set up, and their runs. */
export class ConnectorService implements AsyncDisposable {
  readonly #parts: ConnectorServiceParts;
  readonly #changes = new OneAtATime();
  readonly #closing = new AbortController();
  #tests = 0;
  #accessReads = 0;

  constructor(parts: ConnectorServiceParts) {
    this.#parts = parts;
  }

  list(_caller: Caller, { skip, take }: Page): List<Connector> {
    const all = this.#parts.store.all();
    const items = all.slice(skip, skip + take).map((connector) => this.#shown(connector));
    return { items, total: all.length, skip, take };
  }

  /** Throws `connector_not_found`, as do those that follow. */
  get(_caller: Caller, id: string): Connector {
    return this.#shown(this.#require(id));
  }

  runs(_caller: Caller, id: string, page: Page): List<ConnectorRunDocument> {
    const { items, ...list } = this.#parts.runs.list(taskName(this.#require(id).id), page);
    return { ...list, items: items.map(runOf) };
  }

  /**
   * Who may see what it brought, at the source as its runs were told, and here now. Rejects with
   * `task_running` during a run, with `connectors_busy`, `task_interrupted` and `connector_failed`.
   */
  async access(
    _caller: Caller,
    given: string,
    { skip, take }: Page,
  ): Promise<List<ConnectorAccess>> {
    const { sources, runner, reader } = this.#parts;
    const { id, memory } = this.#require(given);
    if (runner.jobOf(taskName(id)) !== null) throw running();
    if (this.#accessReads >= CONNECTOR_ACCESS_READS_AT_ONCE) {
      const message = `${CONNECTOR_ACCESS_READS_AT_ONCE} comparisons of access are made already`;
      throw new Problem('connectors_busy', message, { details: { retryAfterSeconds: 10 } });
    }
    this.#accessReads++;
    const timeout = AbortSignal.timeout(CONNECTOR_ACCESS_TIMEOUT_MS);
    try {
      const signal = AbortSignal.any([this.#closing.signal, timeout]);
      const { items, total } = await sources.access({ connector: id, memory, skip, take }, signal);
      reader.refresh();
      const comparison = new SourceAccess(this.#parts);
      return { items: items.map((one) => comparison.compare(one)), total, skip, take };
    } catch (error) {
      if (this.#closing.signal.aborted) {
        throw new Problem('task_interrupted', 'The server stopped before the memory was read.');
      }
      if (!timeout.aborted) throw error;
      throw new Problem('connector_failed', 'Its memory was not read in time', { cause: error });
    } finally {
      this.#accessReads--;
    }
  }

  /** Rejects with `connector_limit_reached`, and as `update` does. */
  create(caller: Caller, change: ConnectorChange, address: string): Promise<Connector> {
    return this.#changes.run(async () => {
      const settings = await this.#settingsOf(change, undefined);
      const id = formatUid(randomUid());
      const vault = this.#vaultOf(id, change);
      return this.#create(id, settings, { caller, address }, vault);
    });
  }

  /**
   * Makes it what a file of definitions says, which holds no secret: the one that is kept goes when
   * it would go along to another server. Rejects as `create` and `update` do.
   */
  define(
    caller: Caller,
    id: string,
    { needsSecret, ...change }: ConnectorDefinition,
    address: string,
  ): Promise<Connector> {
    return this.#changes.run(async () => {
      const { store, secrets } = this.#parts;
      const before = store.find(id);
      const needs = needsSecret ?? before?.needsSecret ?? false;
      const given = await this.#settingsOf(change, before);
      const settings = { ...given, needsSecret: needs };
      const isKept = before !== undefined && needs && mayKeep(before.source, change.source);
      const vault = isKept ? [] : [secrets.remove(id)];
      const by = { caller, address };
      if (before === undefined) return this.#create(id, settings, by, vault);
      const connector = { ...before, ...settings, updatedAt: this.#now() };
      return this.#write('changed', connector, by, vault);
    });
  }

  /** The same, over a state whose changes become one commit. */
  over(
    staged: Pick<StagedCommits, 'reader' | 'commits' | 'afterwards' | 'vault'>,
    allowList: () => readonly string[],
  ): ConnectorService {
    const { work } = this.#parts;
    const { reader, commits, afterwards } = staged;
    const secrets = this.#parts.secrets.over(() => staged.vault);
    return new ConnectorService({
      ...this.#parts,
      reader,
      commits,
      afterwards,
      secrets,
      store: new ConnectorStore(reader, secrets),
      work: {
        reachOf: (source) => work.reachOf(source, allowList()),
        askFull: (id, isFull) => work.askFull(id, isFull),
      },
    });
  }

  /** With its node type by the name that the type has now. */
  renamedSource(source: ConnectorSource): ConnectorSource {
    if (!('type' in source)) return source;
    const { reader } = this.#parts;
    reader.refresh();
    return { ...source, type: reader.typeNamed(source.type) };
  }

  /** Rejects with `connector_address_not_allowed`, `invalid_schedule`, `invalid_request`. */
  update(
    caller: Caller,
    given: string,
    change: ConnectorChange,
    address: string,
  ): Promise<Connector> {
    return this.#changes.run(async () => {
      const { secrets } = this.#parts;
      const before = this.#require(given);
      const { id } = before;
      requireKeepable(before, change, secrets);
      const settings = await this.#settingsOf(change, before);
      const connector = { ...before, ...settings, updatedAt: this.#now() };
      return this.#write('changed', connector, { caller, address }, this.#vaultOf(id, change));
    });
  }

  /** Rejects with `task_running`. What it brought stays. */
  delete(caller: Caller, given: string, address: string): Promise<void> {
    return this.#changes.run(async () => {
      const { runs, runner, secrets, scheduler, sources, afterwards } = this.#parts;
      const connector = this.#require(given);
      const { id } = connector;
      const task = taskName(id);
      runner.requireIdle(task);
      const operations = [deleteConnector(connector), ...runs.removals(task)];
      const by = { caller, address };
      await this.#commit('deleted', connector, by, operations, [secrets.remove(id)]);
      await afterwards(async () => {
        runs.forget(task);
        await scheduler.look();
        await sources.forget(id);
      });
    });
  }

  /** Rejects with `connectors_busy` when too many are tried at once. */
  async test(caller: Caller, asked: ConnectorTest, address: string): Promise<ConnectorTestResult> {
    const { sources, secrets, work } = this.#parts;
    const { source, id } = asked;
    const known = id === undefined ? undefined : this.#require(id);
    if (known !== undefined) requireKeepable(known, asked, secrets);
    const reach = await work.reachOf(source);
    const kept = known === undefined ? null : () => secrets.read(known.id);
    const { secret = kept?.() ?? null } = asked;
    if (this.#tests >= CONNECTOR_TESTS_AT_ONCE) {
      const message = `${CONNECTOR_TESTS_AT_ONCE} sources are tried already`;
      throw new Problem('connectors_busy', message, { details: { retryAfterSeconds: 10 } });
    }
    this.#tests++;
    const timeout = AbortSignal.timeout(CONNECTOR_TEST_TIMEOUT_MS);
    try {
      this.#record(
        'tested',
        { id: id ?? '', name: known?.name ?? '', source },
        { caller, address },
      );
      const signal = AbortSignal.any([this.#closing.signal, timeout]);
      const message = await sources.test({ source, secret, reach }, signal);
      return { isReachable: true, message: this.#parts.redact(message) };
    } catch (error) {
      if (this.#closing.signal.aborted) {
        throw new Problem('task_interrupted', 'The server stopped before the source answered.');
      }
      if (timeout.aborted) return { isReachable: false, message: TOO_SLOW };
      if (!(error instanceof Problem) || error.code !== 'connector_failed') throw error;
      return { isReachable: false, message: this.#parts.redact(error.message) };
    } finally {
      this.#tests--;
    }
  }

  /** Resolves with the job when the run has begun. Rejects with `task_running`. */
  async run(
    caller: Caller,
    given: string,
    { full = false }: { readonly full?: boolean | undefined },
    address: string,
  ): Promise<JobWithLog> {
    const { runner, jobs, work } = this.#parts;
    const connector = this.#require(given);
    const task = taskOf(connector);
    runner.requireIdle(task.name);
    work.askFull(connector.id, full);
    const job = await runner.start(task, { trigger: 'manual', dueAt: null });
    this.#record('run', connector, { caller, address });
    return jobs.get(SERVER, job);
  }

  /** Does nothing when no run is under way. */
  cancel(caller: Caller, given: string, address: string): Connector {
    const { runner, jobs } = this.#parts;
    const connector = this.#require(given);
    const job = runner.jobOf(taskName(connector.id));
    if (job !== null) {
      jobs.cancel(SERVER, job);
      this.#record('cancelled', connector, { caller, address });
    }
    return this.#shown(connector);
  }

  /**
   * Gives the node type of each source the name that it has now. What was remembered is of the
   * former name, so the next run sends everything, and what is there already is not made again.
   */
  renamed({ types }: { readonly types: (name: string) => string }): Promise<void> {
    return this.#changes.run(async () => {
      const { store, commits } = this.#parts;
      for (const connector of store.all()) {
        const { source } = connector;
        if (!('type' in source) || types(source.type) === source.type) continue;
        const operation = writeConnector({
          ...connector,
          source: { ...source, type: types(source.type) },
          memory: connector.memory + 1,
        });
        await commits.commit({ system: true, operations: [operation] });
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('the server stops'));
    await this.#changes.ended();
  }

  #create(
    id: string,
    settings: ConnectorSettings,
    by: By,
    vault: readonly VaultWrite[],
  ): Promise<Connector> {
    if (this.#parts.store.all().length >= CONNECTORS_MAX) {
      const message = `There are ${CONNECTORS_MAX} connectors already`;
      throw new Problem('connector_limit_reached', message, { details: { limit: CONNECTORS_MAX } });
    }
    const now = this.#now();
    const times = { createdAt: now, createdBy: by.caller.userUid, updatedAt: now };
    return this.#write('created', { ...settings, ...times, id, nodeVersion: 0 }, by, vault);
  }

  async #write(
    action: ConnectorDeed,
    connector: StoredConnector,
    by: By,
    vault: readonly VaultWrite[],
  ): Promise<Connector> {
    await this.#commit(action, connector, by, [writeConnector(connector)], vault);
    const { scheduler, afterwards } = this.#parts;
    await afterwards(() => scheduler.look());
    return this.#shown(this.#require(connector.id));
  }

  async #commit(
    action: ConnectorDeed,
    connector: StoredConnector,
    by: By,
    operations: readonly WriterOperation[],
    vault: readonly VaultWrite[],
  ): Promise<void> {
    const { commits, audit, onChange, afterwards } = this.#parts;
    const event = audit.operation(eventOf(action, connector, by));
    await commits.commit({ system: true, operations: [...operations, event], vault });
    afterwards(onChange);
  }

  #record(
    action: ConnectorDeed,
    connector: Pick<StoredConnector, 'id' | 'name' | 'source'>,
    by: By,
  ): void {
    this.#parts.audit.record(eventOf(action, connector, by));
  }

  async #settingsOf(
    { name, source: given, schedule = null, enabled = true, secret }: ConnectorChange,
    before: StoredConnector | undefined,
  ): Promise<ConnectorSettings> {
    await this.#parts.work.reachOf(given);
    const source = this.renamedSource(given);
    const read = schedule === null ? null : Schedule.parse(schedule.cron, schedule.timeZone);
    const parsed = read === null ? null : { cron: read.cron, timeZone: read.timeZone };
    const isSame =
      before !== undefined &&
      before.enabled === enabled &&
      before.schedule?.cron === parsed?.cron &&
      before.schedule?.timeZone === parsed?.timeZone;
    const scheduledAt = isSame ? before.scheduledAt : this.#now();
    const memory = before === undefined ? 0 : this.#memoryOf(before, source);
    const needsSecret = secret === undefined ? (before?.needsSecret ?? false) : secret !== null;
    return { name, source, schedule: parsed, enabled, scheduledAt, memory, needsSecret };
  }

  /** What is remembered of nodes whose type was renamed is forgotten: see `renamed`. */
  #memoryOf({ source: before, memory }: StoredConnector, after: ConnectorSource): number {
    const isRenamed =
      'type' in before &&
      'type' in after &&
      before.type !== after.type &&
      this.#parts.reader.typeNamed(before.type) === after.type;
    return isRenamed ? memory + 1 : memory;
  }

  #vaultOf(id: string, { secret }: ConnectorChange): VaultWrite[] {
    const { secrets } = this.#parts;
    if (secret === undefined) return [];
    return [secret === null ? secrets.remove(id) : secrets.write(id, secret)];
  }

  #shown(connector: StoredConnector): Connector {
    const { runs, runner, secrets } = this.#parts;
    const { id, name, source, schedule, enabled, needsSecret } = connector;
    const { createdAt, createdBy, updatedAt } = connector;
    const task = taskName(id);
    const last = runs.last(task);
    return {
      id,
      name,
      source,
      hasSecret: secrets.has(id),
      needsSecret,
      schedule,
      ...this.#timesOf(connector),
      enabled,
      jobId: runner.jobOf(task),
      lastRun: last === undefined ? null : runOf(last),
      createdAt,
      createdBy,
      updatedAt,
    };
  }

  #timesOf({
    schedule,
    enabled,
  }: StoredConnector): Pick<Connector, 'scheduleInWords' | 'nextRunAt'> {
    if (schedule === null) return { scheduleInWords: null, nextRunAt: null };
    const { clock, runsByItself } = this.#parts;
    const read = Schedule.parse(schedule.cron, schedule.timeZone);
    const next = enabled && runsByItself ? read.next(clock.now()) : undefined;
    return {
      scheduleInWords: read.description,
      nextRunAt: next === undefined ? null : new Date(next).toISOString(),
    };
  }

  #require(id: string): StoredConnector {
    const connector = this.#parts.store.find(id);
    if (connector !== undefined) return connector;
    throw new Problem('connector_not_found', `There is no connector "${shorten(id)}"`);
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString();
  }
}

function running(): Problem {
  return new Problem('task_running', 'The connector runs: what it brought is compared afterwards');
}

const TOO_SLOW = `It did not answer within ${CONNECTOR_TEST_TIMEOUT_MS / 1_000} seconds`;

function eventOf(
  action: ConnectorDeed,
  { id, name, source }: Pick<StoredConnector, 'id' | 'name' | 'source'>,
  by: By,
) {
  const details = { source: source.kind, origin: originOf(source.url) ?? source.url };
  return deed(`connector.${action}`, by, { kind: 'connector', id, name }, details);
}
