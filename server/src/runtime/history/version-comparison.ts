import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import type { EndpointAnswer } from '../call-outcome.ts';
import { toScript } from '../compile/script.ts';
import type { EndpointDefinitions } from '../endpoint-definitions.ts';
import type { RunnableEndpoint } from '../endpoint-runtime.ts';
import { fileNameOf, namesPrimary, type EndpointStore } from '../endpoint-store.ts';
import { newCalls } from '../endpoint-calls.ts';
import type { ModuleLinker } from '../modules/module-linker.ts';
import type { ModuleStore } from '../modules/module-store.ts';
import type { CodeHistory, CodeItem, RecordedVersion } from './code-history.ts';
import type { EndpointRun } from '../invocation.ts';

/** How one version ran. */
export interface VersionRun {
  readonly version: number;
  /** Null when it failed. */
  readonly status: number | null;
  /** What it answered; null when it failed, or answered nothing. */
  readonly body: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly ms: number;
}

export interface Comparison {
  readonly isEqual: boolean;
  readonly runs: [VersionRun, VersionRun];
}

export interface VersionComparisonOptions {
  readonly store: EndpointStore;
  readonly history: CodeHistory;
  readonly definitions: EndpointDefinitions;
  readonly modules: ModuleStore;
  readonly linker: ModuleLinker;
  /** Runs it as a trial, which changes nothing. */
  readonly run: (endpoint: RunnableEndpoint, run: EndpointRun) => Promise<EndpointAnswer>;
}

/**
 * Runs two versions of an endpoint with the same body, as the same caller. Both run in the
 * read-only scope, whatever they are marked as: to try an old version must not change anything.
 */
export class VersionComparison {
  readonly #options: VersionComparisonOptions;

  constructor(options: VersionComparisonOptions) {
    this.#options = options;
  }

  /**
   * With a recorded input, or else with a body. Rejects with `code_version_not_found`,
   * `recorded_input_not_found`, `endpoint_not_compiled`.
   */
  async compare(
    caller: Caller,
    item: CodeItem<'endpoint'>,
    wanted: {
      readonly version: number;
      readonly with?: number | undefined;
      readonly body?: unknown;
      readonly input?: number | undefined;
    },
  ): Promise<Comparison> {
    const { history } = this.#options;
    const other = wanted.with ?? history.lastVersion(item);
    const first = await this.#runnable(history.get(item, wanted.version));
    const second = await this.#runnable(history.get(item, other));
    const body = this.#bodyOf(item, wanted);
    // One after the other, so that neither takes time from the other.
    const runs: [VersionRun, VersionRun] = [
      await this.#run(first, caller, body),
      await this.#run(second, caller, body),
    ];
    const [one, two] = runs.map(({ status, body: answer, error }) => ({ status, answer, error }));
    return { isEqual: isDeepStrictEqual(one, two), runs };
  }

  #bodyOf(
    { name }: CodeItem,
    { input, body }: { readonly input?: number | undefined; readonly body?: unknown },
  ): string | null {
    if (input === undefined) return body === undefined ? null : JSON.stringify(body);
    const recorded = this.#options.store.find(name)?.calls.inputs.find(input);
    if (recorded !== undefined) return recorded.body;
    const message = `There is no recorded input ${input} of the endpoint "${name}"`;
    throw new Problem('recorded_input_not_found', message);
  }

  async #runnable(version: RecordedVersion<'endpoint'>): Promise<RunnableEndpoint> {
    const { name, code, settings, uid: UID } = version;
    const { definitions, linker, modules } = this.#options;
    const { diagnostics, types } = await definitions.inspect({
      name,
      code,
      isReadOnly: settings.isReadOnly,
    });
    if (diagnostics.length > 0) {
      const message = `Version ${version.version} of the endpoint "${name}" does not compile`;
      throw new Problem('endpoint_not_compiled', message, {
        hint: 'details.diagnostics has the errors against the current schema.',
        details: { version: version.version, diagnostics },
      });
    }
    const linked = await linker.link(await toScript(code, types), fileNameOf(name));
    const loaded = {
      name,
      version: `history.${UID}.${version.version}.${modules.versionsFor(code)}`,
      isReadOnly: true,
      ...linked,
    };
    const definition = { UID, name, code, ...settings, version: version.version, isReadOnly: true };
    return {
      definition: {
        ...definition,
        compiles: true,
        diagnostics,
        mayRunOnPrimary: namesPrimary(modules.textsOf(code)),
      },
      loadable: () => loaded,
      calls: newCalls(),
    };
  }

  async #run(endpoint: RunnableEndpoint, caller: Caller, body: string | null): Promise<VersionRun> {
    const { name, version } = endpoint.definition;
    const started = performance.now();
    const ended = (outcome: Omit<VersionRun, 'version' | 'ms'>): VersionRun => ({
      version,
      ...outcome,
      ms: Number((performance.now() - started).toFixed(3)),
    });
    try {
      const answer = await this.#options.run(endpoint, {
        name,
        caller,
        body,
        headers: '{}',
        authorization: undefined,
        runKey: null,
        signal: new AbortController().signal,
      });
      const value: unknown = answer.body === null ? null : JSON.parse(answer.body);
      return ended({ status: answer.status, body: value, error: null });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { code, message } = error;
      return ended({ status: null, body: null, error: { code, message } });
    }
  }
}
