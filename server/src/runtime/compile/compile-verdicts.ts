import { setImmediate as turn } from 'node:timers/promises';
import type { GraphReader } from '#graph/reader.ts';
import type { SchemaDocument } from '#graph/schema.ts';
import type { JobRegistry, RunningJob } from '#jobs/job-registry.ts';
import type { EndpointStore, StoredEndpoint } from '../endpoint-store.ts';
import type { RuntimeLogger } from '../runtime-logger.ts';
import type { EndpointCompiler } from './endpoint-compiler.ts';

export interface CompileVerdictsOptions {
  readonly store: EndpointStore;
  readonly reader: GraphReader;
  readonly compiler: EndpointCompiler;
  readonly logger: RuntimeLogger;
  readonly jobs: JobRegistry;
}

interface Verdict {
  readonly schema: SchemaDocument;
  readonly compiles: boolean;
}

/** The names that the specification, section 2.8, gives them. */
export interface CompileStatus {
  readonly FailingIds: string[];
  readonly Pending: boolean;
}

/**
 * Which endpoints compile against the schema of now. Kept in memory: what is stored with an
 * endpoint is the verdict of its saving, and what serves goes on serving whatever is found here.
 *
 * What has no verdict is checked in the background: one endpoint at a time, so that a check that
 * somebody waits for waits for one of these at most; and from the beginning when the schema changes
 * meanwhile.
 */
export class CompileVerdicts {
  readonly #options: CompileVerdictsOptions;
  /** A changed endpoint is another object, and the verdict of the former one goes with it. */
  readonly #verdicts = new WeakMap<StoredEndpoint, Verdict>();
  #schema: SchemaDocument;
  #checking: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: CompileVerdictsOptions) {
    this.#options = options;
    options.reader.refresh();
    this.#schema = options.reader.schema();
  }

  /** From the caches; begins to fill them where they are cold (specification, section 3.3). */
  status(): CompileStatus {
    const endpoints = this.#options.store.all();
    const schema = this.#options.reader.schema();
    const Pending = endpoints.some((endpoint) => this.#verdictOf(endpoint, schema) === undefined);
    if (Pending) this.#start();
    const failing = endpoints.filter((endpoint) => !this.compiles(endpoint));
    return { FailingIds: failing.map(({ definition }) => definition.UID), Pending };
  }

  /** As of the last check, which may be the one at saving. */
  compiles(endpoint: StoredEndpoint): boolean {
    return this.#verdicts.get(endpoint)?.compiles ?? endpoint.definition.compiles;
  }

  /** What somebody has found out by checking an endpoint against a schema. */
  note(endpoint: StoredEndpoint, schema: SchemaDocument, compiles: boolean): void {
    this.#verdicts.set(endpoint, { schema, compiles });
  }

  /** To be called after a commit that may have changed the schema: then all is checked again. */
  schemaMayHaveChanged(): void {
    const { reader } = this.#options;
    reader.refresh();
    if (reader.schema() !== this.#schema) this.#start();
  }

  /** Resolves when nothing is being checked any more. */
  async settled(): Promise<void> {
    await this.#checking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#checking;
  }

  #start(): void {
    if (this.#isClosed) return;
    const job = { kind: 'endpoint-recheck', step: 'Checking the endpoints' } as const;
    this.#checking ??= this.#options.jobs
      .run(job, (running) => this.#checkAll(running))
      .catch((error: unknown) => {
        this.#options.logger.error({ err: error }, 'the endpoints could not be checked again');
      })
      .finally(() => {
        this.#checking = undefined;
      });
  }

  async #checkAll(job: RunningJob): Promise<void> {
    const { store, reader, logger } = this.#options;
    for (let pending = this.#pending(); pending.length > 0; pending = this.#pending()) {
      this.#schema = reader.schema();
      await this.#check(pending, this.#schema, job);
      if (this.#isClosed) return;
    }
    const broken = store
      .all()
      .filter((endpoint) => endpoint.definition.compiles && !this.compiles(endpoint))
      .map(({ definition }) => definition.name);
    for (const name of broken) job.log(`${name} does not compile any more`);
    if (broken.length > 0) {
      logger.warn(
        { endpoints: broken },
        'these endpoints do not compile any more; what they served they go on serving',
      );
    }
  }

  #pending(): StoredEndpoint[] {
    const endpoints = this.#options.store.all();
    const schema = this.#options.reader.schema();
    return endpoints.filter((endpoint) => this.#verdictOf(endpoint, schema) === undefined);
  }

  /** Ends early when the schema has become another one. */
  async #check(
    endpoints: readonly StoredEndpoint[],
    schema: SchemaDocument,
    job: RunningJob,
  ): Promise<void> {
    const { compiler, reader } = this.#options;
    for (const [done, endpoint] of endpoints.entries()) {
      const { name, code, isReadOnly } = endpoint.definition;
      job.report({ progress: done / endpoints.length, step: `Checking ${name}` });
      const diagnostics = await compiler.check(code, schema, isReadOnly);
      this.note(endpoint, schema, diagnostics.length === 0);
      // What has come in since goes first.
      await turn();
      reader.refresh();
      if (this.#isClosed || reader.schema() !== schema) return;
    }
  }

  #verdictOf(endpoint: StoredEndpoint, schema: SchemaDocument): Verdict | undefined {
    const verdict = this.#verdicts.get(endpoint);
    return verdict?.schema === schema ? verdict : undefined;
  }
}
