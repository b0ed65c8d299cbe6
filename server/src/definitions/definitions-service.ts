import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { reproducibleZip } from '#archive/write-zip.ts';
import { Problem } from '#base/problem.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import { filesOf } from './definition-files.ts';
import type { DefinitionFile } from './definition-kind.ts';
import { DefinitionImport, kindsInOrder, type ImportParts } from './definition-import.ts';
import type { ImportRecord, ImportReport } from './import-report.ts';
import { manifestFile } from './manifest.ts';
import { readDefinitions, type GivenDefinitions } from './read-definitions.ts';

export interface DefinitionsParts extends ImportParts {
  readonly jobs: JobRegistry;
  readonly audit: AuditTrail;
  /** Version of the product. */
  readonly version: string;
}

export interface ImportRequest {
  readonly mirror: boolean;
  readonly dryRun: boolean;
  readonly address: string;
  /** From here on nothing is refused any more. */
  readonly onAccepted: () => void;
  readonly log: (text: string) => void;
  /** Aborts when whoever has asked has gone: that ends a dry run. */
  readonly signal: AbortSignal;
}

/** What is custom in a workspace, as a zip of files that people read (docs/definitions.md). */
export class DefinitionsService implements AsyncDisposable {
  readonly #parts: DefinitionsParts;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(parts: DefinitionsParts) {
    this.#parts = parts;
  }

  /** Equal workspaces give equal bytes. What is read is read at once. */
  exportZip(caller: Caller): AsyncGenerator<Uint8Array, void, undefined> {
    return reproducibleZip(this.#files(caller));
  }

  /**
   * Imports a zip, as a job that goes on when nobody waits for it any more, or only looks what
   * would be done. Rejects before anything is done with `not_a_zip`, `invalid_definitions`,
   * `import_running`; resolves with what could not be done in the report.
   */
  async importZip(caller: Caller, zip: Uint8Array, request: ImportRequest): Promise<ImportReport> {
    const given = await readDefinitions(kindsInOrder(this.#parts.kinds), zip);
    if (request.dryRun) return this.#dryRun(caller, given, request);
    if (this.#running !== undefined) {
      throw new Problem('import_running', 'Definitions are being imported.');
    }
    const work = this.#import(caller, given, request);
    this.#running = work;
    try {
      return await work;
    } finally {
      this.#running = undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Problem('server_stopping', 'The server stops.'));
    await Promise.allSettled([this.#running]);
  }

  #files(caller: Caller): DefinitionFile[] {
    const { version, kinds } = this.#parts;
    const files = kindsInOrder(kinds).flatMap((kind) =>
      kind.names(caller).flatMap((name) => {
        const definition = kind.read(caller, name);
        return definition === undefined ? [] : filesOf(kind, name, definition);
      }),
    );
    return [manifestFile(version), ...files].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  async #dryRun(
    caller: Caller,
    given: GivenDefinitions,
    { mirror, address, onAccepted, log, signal }: ImportRequest,
  ): Promise<ImportReport> {
    onAccepted();
    const wanted = { by: { caller, address }, given, isMirror: mirror, isDryRun: true };
    const watch = { log, onProgress: () => {}, signal };
    const record = await new DefinitionImport(this.#parts, wanted, watch).run();
    return record.report({ dryRun: true, mirror, jobId: null }, given.others);
  }

  async #import(
    caller: Caller,
    given: GivenDefinitions,
    { mirror, address, onAccepted, log }: ImportRequest,
  ): Promise<ImportReport> {
    const { jobs, audit } = this.#parts;
    const job = jobs.start({ kind: 'definitions-import', step: 'Reading' });
    const tell = (text: string): void => {
      job.log(text);
      log(text);
    };
    const watch = {
      log: tell,
      onProgress: (done: number, total: number, step: string) =>
        job.report({ progress: done / Math.max(1, total), step }),
      signal: this.#stopping.signal,
    };
    const wanted = { by: { caller, address }, given, isMirror: mirror, isDryRun: false };
    try {
      onAccepted();
      const record = await new DefinitionImport(this.#parts, wanted, watch).run();
      const report = record.report({ dryRun: false, mirror, jobId: job.id }, given.others);
      const target = { kind: 'definitions', id: job.id };
      const { totals } = report;
      audit.record(deed('definitions.imported', wanted.by, target, { mirror, totals }));
      endJob(job, record);
      return report;
    } catch (error) {
      job.end('failed', error);
      throw error;
    }
  }
}

/** One of which a part has failed has failed. */
function endJob(job: ReturnType<JobRegistry['start']>, record: ImportRecord): void {
  const failed = record.count('failed');
  if (failed === 0) {
    job.report({ step: 'Done' });
    job.end('succeeded');
    return;
  }
  const message = `${failed} of ${record.items.length} definitions could not be imported.`;
  job.end('failed', new Problem('import_incomplete', message));
}
