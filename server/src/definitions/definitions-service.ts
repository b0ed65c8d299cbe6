import { formatUid, randomUid } from '#base/uid.ts';
import type { Deployment } from '@trellis/contract/shapes/deployment.ts';
import { KINDS_OF_ADMINISTRATORS } from '@trellis/contract/shapes/definitions.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { reproducibleZip } from '#archive/write-zip.ts';
import type { Clock } from '#base/clock.ts';
import { DEFINITION_DRY_RUNS_MAX, DEPLOYMENT_CHANGES_MAX } from '#base/definition-limits.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort, CommitRequest } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { JobRegistry, RunningJob } from '#jobs/job-registry.ts';
import type { BrokenCode } from '#runtime/staged-endpoints.ts';
import { filesOf } from './definition-files.ts';
import {
  brokenItem,
  DefinitionImport,
  kindsInOrder,
  type DefinitionKinds,
  type ImportWatch,
} from './definition-import.ts';
import type { DefinitionFile, DefinitionKind, Importer } from './definition-kind.ts';
import { type DeploymentStore, digestOf, type NewDeployment } from './deployment-store.ts';
import { type ImportHead, type ImportRecord, type ImportReport, linesOf } from './import-report.ts';
import { manifestFile } from './manifest.ts';
import { limited, readDefinitions, type GivenDefinitions } from './read-definitions.ts';

/** The workspace as it would be: what is written through its kinds changes nothing yet. */
export interface StagedDefinitions extends AsyncDisposable {
  readonly kinds: DefinitionKinds;
  /** Everything that was written, for one commit. */
  request(): CommitRequest;
  /** To be called once it is committed. */
  committed(): Promise<void>;
  /** Code that compiles now, and would not any more. */
  broken(signal: AbortSignal): Promise<readonly BrokenCode[]>;
}

export interface DefinitionsParts {
  readonly kinds: DefinitionKinds;
  readonly stage: () => StagedDefinitions;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly deployments: DeploymentStore;
  readonly jobs: JobRegistry;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  /** The name of a token, as its record says. */
  readonly tokenName: (id: string) => string;
  /** Version of the product. */
  readonly version: string;
  /** Told of what is a fault of ours. */
  readonly onFault: (error: unknown) => void;
}

export interface ApplyRequest {
  readonly dryRun: boolean;
  /** Also takes code that does not compile, and keeps it as a draft. */
  readonly drafts: boolean;
  readonly address: string;
  /** From here on nothing is refused any more. */
  readonly onAccepted: () => void;
  readonly log: (text: string) => void;
  /** Aborts when whoever has asked has gone: that ends a dry run. */
  readonly signal: AbortSignal;
}

export interface ImportRequest extends ApplyRequest {
  readonly mirror: boolean;
}

/** An import, or a rollback, that is under way. */
interface Applying extends ImportRequest {
  readonly by: Importer;
  readonly given: GivenDefinitions;
  /** The deployment that is brought back; null in an import. */
  readonly of: string | null;
}

/**
 * What is custom in a workspace, as a zip of files that people read (docs/definitions.md), and the
 * states that it was in.
 */
export class DefinitionsService implements AsyncDisposable {
  readonly #parts: DefinitionsParts;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> | undefined;
  #dryRuns = 0;

  constructor(parts: DefinitionsParts) {
    this.#parts = parts;
  }

  /** Equal workspaces give equal bytes. What is read is read at once. */
  exportZip(caller: Caller): AsyncGenerator<Uint8Array, void, undefined> {
    return reproducibleZip(this.#files(kindsFor(caller, this.#parts.kinds), caller));
  }

  /**
   * Imports a zip as one commit, or only looks what would be done. The import is a job that goes on
   * when nobody waits for it any more. Rejects before anything is done with `not_a_zip`,
   * `invalid_definitions`, `import_running`, and later with `version_conflict` when somebody else
   * has changed a definition meanwhile; resolves with what could not be done in the report.
   */
  async importZip(caller: Caller, zip: Uint8Array, request: ImportRequest): Promise<ImportReport> {
    const kinds = kindsInOrder(this.#parts.kinds);
    const given = limited(await readDefinitions(kinds, zip), kindsFor(caller, this.#parts.kinds));
    const by = { caller, address: request.address };
    return this.#apply({ ...request, by, given, of: null });
  }

  /** Newest first. */
  deployments(_caller: Caller, page: { readonly skip: number; readonly take: number }) {
    return this.#parts.deployments.list(page);
  }

  /** Throws `deployment_not_found`. */
  deployment(_caller: Caller, id: string) {
    return this.#parts.deployments.get(id);
  }

  /**
   * Makes the definitions what they were after a deployment, as an import of them would, as a
   * mirror. Rejects with `deployment_not_found`, and as that import does.
   */
  async rollBack(caller: Caller, id: string, request: ApplyRequest): Promise<ImportReport> {
    const { kinds, deployments } = this.#parts;
    const given = await readDefinitions(kindsInOrder(kinds), deployments.zip(id));
    const by = { caller, address: request.address };
    return this.#apply({ ...request, by, given, of: id, mirror: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Problem('server_stopping', 'The server stops.'));
    await Promise.allSettled([this.#running]);
  }

  #files(kinds: readonly DefinitionKind[], caller: Caller): DefinitionFile[] {
    const reading = withAllRights(caller);
    const files = kinds.flatMap((kind) =>
      kind.names(reading).flatMap((name) => {
        const definition = kind.read(reading, name);
        return definition === undefined ? [] : filesOf(kind, name, definition);
      }),
    );
    const manifest = manifestFile(
      this.#parts.version,
      kinds.map(({ kind }) => kind),
    );
    return [manifest, ...files].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  async #apply(applying: Applying): Promise<ImportReport> {
    if (applying.dryRun) return this.#dryRun(applying);
    if (this.#running !== undefined) {
      throw new Problem('import_running', 'Definitions are being imported.');
    }
    const work = this.#import(applying);
    this.#running = work;
    try {
      return await work;
    } finally {
      this.#running = undefined;
    }
  }

  async #dryRun(applying: Applying): Promise<ImportReport> {
    if (this.#dryRuns >= DEFINITION_DRY_RUNS_MAX) {
      throw new Problem('import_running', `${DEFINITION_DRY_RUNS_MAX} dry runs are under way.`);
    }
    this.#dryRuns++;
    try {
      const { given, onAccepted, signal, log } = applying;
      onAccepted();
      await using staged = this.#parts.stage();
      const record = await this.#staged(staged, applying, { onProgress: () => {}, signal });
      for (const line of linesOf(record, given.others, 'would')) log(line);
      const head = { ...headOf(applying), applied: false, jobId: null, deploymentId: null };
      return record.report(head, given.others);
    } finally {
      this.#dryRuns--;
    }
  }

  async #import(applying: Applying): Promise<ImportReport> {
    const job = this.#parts.jobs.start({ kind: 'definitions-import', step: 'Reading' });
    const tell = (text: string): void => {
      job.log(text);
      applying.log(text);
    };
    try {
      applying.onAccepted();
      const { given } = applying;
      await using staged = this.#parts.stage();
      const before = this.#files(kindsInOrder(staged.kinds), applying.by.caller);
      const record = await this.#staged(staged, applying, {
        onProgress: (done, total, step) =>
          job.report({ progress: done / Math.max(1, total), step }),
        signal: this.#stopping.signal,
      });
      const applied = record.count('failed') === 0;
      const deploymentId = applied
        ? await this.#commit(staged, applying, { record, before, job })
        : null;
      for (const line of linesOf(record, given.others, applied ? 'done' : 'refused')) tell(line);
      endJob(job, record);
      const head = { ...headOf(applying), applied, jobId: job.id, deploymentId };
      return record.report(head, given.others);
    } catch (error) {
      job.end('failed', error);
      throw error;
    }
  }

  /** Writes everything where it changes nothing, and looks what would not compile any more. */
  async #staged(
    staged: StagedDefinitions,
    { by, given, mirror, drafts }: Applying,
    watch: ImportWatch,
  ): Promise<ImportRecord> {
    const { onFault } = this.#parts;
    const kinds = kindsFor(by.caller, staged.kinds);
    const wanted = {
      by: { ...by, caller: withAllRights(by.caller) },
      given,
      isMirror: mirror,
      takesDrafts: drafts,
    };
    const record = await new DefinitionImport({ kinds, onFault }, wanted, watch).run();
    for (const broken of await staged.broken(watch.signal)) {
      record.replace(brokenItem(staged.kinds[broken.kind], broken));
    }
    return record;
  }

  /** All of it, or nothing. Answers the id of the deployment; null when nothing is changed. */
  async #commit(
    staged: StagedDefinitions,
    applying: Applying,
    {
      record,
      before,
      job,
    }: {
      readonly record: ImportRecord;
      readonly before: readonly DefinitionFile[];
      readonly job: RunningJob;
    },
  ): Promise<string | null> {
    const { audit, commits, deployments, reader } = this.#parts;
    const { by, mirror } = applying;
    const { totals } = record;
    const isChanged = totals.created + totals.changed + totals.deleted > 0;
    const details = { mirror, totals, ...tokenDetails(this.#tokenOf(by.caller)) };
    const event = deed('definitions.imported', by, { kind: 'definitions', id: job.id }, details);
    if (!isChanged) {
      audit.record(event);
      return null;
    }
    const after = this.#files(kindsInOrder(staged.kinds), by.caller);
    const newest = deployments.newest();
    // They stand in the order of their times, also when the clock is set back.
    const atMs = Math.max(
      this.#parts.clock.now(),
      newest === undefined ? 0 : Date.parse(newest.at),
    );
    const made = this.#deploymentOf(applying, record, { files: after, atMs });
    const isKnown = newest?.digest === digestOf(before);
    const found = isKnown ? [] : [foundDeployment({ files: before, atMs })];
    const request = staged.request();
    const kept = await deployments.operations([...found, made]);
    this.#stopping.signal.throwIfAborted();
    try {
      const operations = [...request.operations, ...kept, audit.operation(event)];
      await commits.commit({ ...request, operations });
    } catch (error) {
      throw conflictIn(error);
    }
    reader.refresh();
    await staged.committed();
    return made.id;
  }

  #deploymentOf(
    { by, of, mirror }: Applying,
    { totals, items }: ImportRecord,
    state: DefinitionsState,
  ): NewDeployment {
    const { caller } = by;
    const changes = items
      .filter(({ action }) => action !== 'unchanged')
      .slice(0, DEPLOYMENT_CHANGES_MAX)
      .map(({ kind, name, action }) => ({ kind, name, action }));
    const { userUid, userName } = caller;
    return {
      ...newDeployment(state),
      cause: of === null ? 'import' : 'rollback',
      of,
      by: userUid === null ? null : { uid: userUid, name: userName ?? userUid },
      token: this.#tokenOf(caller),
      mirror,
      totals,
      changes,
    };
  }

  #tokenOf({ kind, tokenId }: Caller): Deployment['token'] {
    if (kind === 'session') return null;
    return { id: tokenId, name: this.#parts.tokenName(tokenId) };
  }
}

/** The definitions at one time. */
interface DefinitionsState {
  readonly files: readonly DefinitionFile[];
  readonly atMs: number;
}

/** What people have made by other means, so that it can be gone back to. */
function foundDeployment(state: DefinitionsState): NewDeployment {
  const totals = { created: 0, changed: 0, deleted: 0, unchanged: 0, failed: 0 };
  const nobody = { by: null, token: null };
  return {
    ...newDeployment(state),
    ...nobody,
    cause: 'found',
    of: null,
    mirror: false,
    totals,
    changes: [],
  };
}

function newDeployment({ files, atMs }: DefinitionsState) {
  const id = formatUid(randomUid());
  return { id, at: new Date(atMs).toISOString(), files, digest: digestOf(files) };
}

function headOf({
  dryRun,
  mirror,
  drafts,
}: Applying): Pick<ImportHead, 'dryRun' | 'mirror' | 'drafts'> {
  return { dryRun, mirror, drafts };
}

function tokenDetails(token: Deployment['token']) {
  return token === null ? {} : { token };
}

/**
 * A token with the scope `deploy` has nothing to do with who may do what: neither does it learn of
 * users and teams, nor can it give rights to itself or anybody.
 */
function kindsFor(caller: Caller, kinds: DefinitionKinds): readonly DefinitionKind[] {
  const all = kindsInOrder(kinds);
  return caller.kind === 'session'
    ? all
    : all.filter(({ kind }) => !KINDS_OF_ADMINISTRATORS.includes(kind));
}

/** Whoever may import these kinds sees and changes all of them, as administrators do. */
function withAllRights(caller: Caller): Caller {
  return { ...caller, isAdmin: true };
}

function conflictIn(error: unknown): unknown {
  if (!(error instanceof Problem) || error.code !== 'version_conflict') return error;
  const message =
    'Somebody changed a definition while the import was checked. Nothing was changed.';
  return new Problem('version_conflict', message, { hint: 'Import again.', cause: error });
}

/** One of which a part has failed has failed. */
function endJob(job: RunningJob, record: ImportRecord): void {
  const failed = record.count('failed');
  if (failed === 0) {
    job.report({ step: 'Done' });
    job.end('succeeded');
    return;
  }
  const message = `${failed} of ${record.items.length} definitions cannot be imported.`;
  job.end('failed', new Problem('import_incomplete', message));
}
