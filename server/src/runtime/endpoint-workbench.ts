import { createHash } from 'node:crypto';
import { errorCatalogue } from '@trellis/contract/errors.ts';
import type { CallTrace } from '@trellis/contract/shapes/call-trace.ts';
import type { DraftOutcome, DraftRun } from '@trellis/contract/shapes/endpoint-work.ts';
import type { EndpointCall, EndpointTypes } from '@trellis/contract/shapes/endpoint-work.ts';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { PROFILE_MS_MAX } from '#base/trace-limits.ts';
import type { EndpointAnswer } from './call-outcome.ts';
import { toScript } from './compile/script.ts';
import { newCalls } from './endpoint-calls.ts';
import { checkName, DEFAULT_SETTINGS, refuseBuiltIn } from './endpoint-definition.ts';
import { type EndpointDefinitions, notFound } from './endpoint-definitions.ts';
import type { EndpointInputs } from './endpoint-inputs.ts';
import type { RunnableEndpoint } from './endpoint-runtime.ts';
import {
  type EndpointStore,
  fileNameOf,
  namesPrimary,
  type StoredEndpoint,
} from './endpoint-store.ts';
import type { EndpointRun } from './invocation.ts';
import type { ModuleLinker } from './modules/module-linker.ts';
import type { ModuleStore } from './modules/module-store.ts';
import type { Pool } from './sandbox/endpoint-call.ts';
import type { ProfiledPool } from './sandbox/profiled-pool.ts';
import type { CallTraces } from './tracing/call-traces.ts';

export interface EndpointWorkbenchParts {
  readonly store: EndpointStore;
  readonly definitions: EndpointDefinitions;
  readonly inputs: EndpointInputs;
  readonly modules: ModuleStore;
  readonly linker: ModuleLinker;
  /** Runs it as a trial, which changes nothing. */
  readonly run: (endpoint: RunnableEndpoint, run: EndpointRun) => Promise<EndpointAnswer>;
  readonly traces: CallTraces;
  /** A worker for one run that is profiled, and how a run is tried in it. */
  readonly profiledPool: () => Promise<ProfiledPool>;
  readonly runIn: (
    pool: Pool,
    endpoint: RunnableEndpoint,
    run: EndpointRun,
  ) => Promise<EndpointAnswer>;
}

/** What whoever writes an endpoint asks beside its editor. */
export class EndpointWorkbench {
  readonly #parts: EndpointWorkbenchParts;
  #isProfiling = false;

  constructor(parts: EndpointWorkbenchParts) {
    this.#parts = parts;
  }

  /** Of the version that serves. Rejects with `endpoint_not_found`, as does the next. */
  async types(_caller: Caller, name: string): Promise<EndpointTypes> {
    const endpoint = this.#find(name);
    if (endpoint.servingCode === undefined) return { input: null, output: null };
    const input = (await this.#parts.inputs.bodySchemaOf(endpoint)) ?? {};
    const isSaid = Object.keys(input).length > 0;
    return { input: isSaid ? input : null, output: endpoint.servingTypes?.output ?? null };
  }

  calls(_caller: Caller, name: string): { readonly items: EndpointCall[] } {
    const { traces } = this.#parts;
    return { items: this.#find(name).calls.recent.list((id) => traces.has(id)) };
  }

  /** Throws `trace_not_found`. */
  trace(caller: Caller, id: string): CallTrace {
    return this.#parts.traces.get(caller, id);
  }

  /**
   * Runs code that is not saved, as a trial, with the settings of the endpoint that has this name.
   * Rejects with `endpoint_built_in`, `endpoint_not_compiled`, `invalid_request`, and with
   * `endpoint_overloaded` while another run is profiled.
   */
  async runDraft(caller: Caller, draft: DraftRun): Promise<DraftOutcome> {
    const { name, body, profile = false } = draft;
    checkName(name);
    refuseBuiltIn(name);
    const endpoint = await this.#runnable(draft);
    const run: EndpointRun = {
      name,
      caller,
      body: body === undefined ? null : JSON.stringify(body),
      headers: '{}',
      authorization: undefined,
      runKey: null,
      signal: new AbortController().signal,
    };
    if (profile) return this.#runProfiled(endpoint, run);
    return outcomeOf(() => this.#parts.run(endpoint, run));
  }

  async #runProfiled(
    { definition, ...endpoint }: RunnableEndpoint,
    run: EndpointRun,
  ): Promise<DraftOutcome> {
    if (this.#isProfiling) {
      throw new Problem('endpoint_overloaded', 'Another run is profiled on this server', {
        hint: 'One run at a time is profiled. Try again when it has ended.',
      });
    }
    this.#isProfiling = true;
    try {
      await using pool = await this.#parts.profiledPool();
      const timeoutMs = Math.min(definition.timeoutMs, PROFILE_MS_MAX);
      const profiled = { ...endpoint, definition: { ...definition, timeoutMs } };
      const outcome = await outcomeOf(() => this.#parts.runIn(pool, profiled, run));
      return { ...outcome, profile: (await pool.profile()) ?? null };
    } finally {
      this.#isProfiling = false;
    }
  }

  async #runnable({ name, code, isReadOnly, profile }: DraftRun): Promise<RunnableEndpoint> {
    const { store, definitions } = this.#parts;
    const existing = store.find(name);
    const settings = existing?.definition ?? { ...DEFAULT_SETTINGS, UID: '', version: 1 };
    const scope = isReadOnly ?? settings.isReadOnly;
    const { diagnostics, types } = await definitions.inspect({
      name,
      code,
      isReadOnly: scope,
    });
    if (diagnostics.length > 0) {
      throw new Problem('endpoint_not_compiled', 'The code does not compile', {
        hint: 'details.diagnostics has the errors against the current schema.',
        details: { diagnostics },
      });
    }
    // The same draft keeps its realm; a worker forgets those that are not called any more.
    const digest = createHash('sha256').update(code).digest('base64url');
    const { linker, modules } = this.#parts;
    const version = `draft.${name}.${scope}.${digest}.${modules.versionsFor(code)}`;
    const linked = await linker.link(await toScript(code, types), fileNameOf(name));
    // It finds the writes of its scope, and is told why they are refused.
    const loaded = { name, version, isReadOnly: scope, ...linked };
    return {
      definition: {
        ...settings,
        name,
        code,
        // Where it is profiled, its writes are tried.
        isReadOnly: profile !== true || scope,
        compiles: true,
        diagnostics,
        mayRunOnPrimary: namesPrimary(modules.textsOf(code)),
      },
      loadable: () => loaded,
      calls: { ...newCalls(), ...(existing && { recent: existing.calls.recent }) },
    };
  }

  #find(name: string): StoredEndpoint {
    const endpoint = this.#parts.store.find(name);
    if (endpoint === undefined) throw notFound(name);
    return endpoint;
  }
}

async function outcomeOf(run: () => Promise<EndpointAnswer>): Promise<DraftOutcome> {
  const started = performance.now();
  const outcome = await run().then(({ status, body: json }) => {
    return { status, body: json === null ? null : (JSON.parse(json) as unknown), error: null };
  }, failed);
  return { ...outcome, ms: Number((performance.now() - started).toFixed(3)) };
}

function failed(error: unknown): Omit<DraftOutcome, 'ms'> {
  if (!(error instanceof Problem)) throw error;
  const { code, message, hint, details } = error;
  const said = { ...(hint === undefined ? {} : { hint }), ...(details && { details }) };
  return { status: errorCatalogue[code].status, body: null, error: { code, message, ...said } };
}
