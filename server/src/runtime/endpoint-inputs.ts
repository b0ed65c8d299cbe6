import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import {
  ENDPOINT_INPUT_SCHEMA_CHARACTERS_MAX,
  ENDPOINT_INPUT_SCHEMA_MS,
} from '#base/endpoint-limits.ts';
import { Problem } from '#base/problem.ts';
import { toInputScript } from './compile/script.ts';
import type { EndpointRuntime } from './endpoint-runtime.ts';
import { fileNameOf, type StoredEndpoint } from './endpoint-store.ts';
import { newCalls } from './endpoint-calls.ts';
import { inputDigest, type KeptInputs } from './kept-inputs.ts';
import type { ModuleLinker } from './modules/module-linker.ts';
import type { LoadableEndpoint } from './sandbox/endpoint-call.ts';

/** A JSON Schema (draft 2020-12) of an object. */
export interface InputSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

/** A JSON Schema (draft 2020-12) of any value. */
export type BodySchema = Readonly<Record<string, unknown>>;

/**
 * A worker keeps one version of each name loaded. What is asked once needs no memory afterwards,
 * and must not take the place of what is called: all of it has one name, which no endpoint has.
 */
const LOADED_AS = 'the input of an endpoint';

/** What any body is. */
const ANYTHING: BodySchema = {};

/**
 * The JSON Schema of what an endpoint takes, as its `input` says (open-shapes, section 5), or else
 * the type of its body. An `input` is asked of the code itself, in the sandbox where the endpoint
 * runs, once for each version and when somebody wants it: no text of ours says again what zod
 * knows. What was asked is kept for the next start.
 */
export class EndpointInputs {
  readonly #runtime: Pick<EndpointRuntime, 'runTrial'>;
  readonly #linker: ModuleLinker;
  readonly kept: KeptInputs;
  readonly #known = new WeakMap<StoredEndpoint, Promise<BodySchema | null>>();

  constructor(runtime: Pick<EndpointRuntime, 'runTrial'>, linker: ModuleLinker, kept: KeptInputs) {
    this.#runtime = runtime;
    this.#linker = linker;
    this.kept = kept;
  }

  /**
   * Any object where the endpoint has no `input`, or its schema is not to be had; null when it
   * takes something else than an object.
   */
  async schemaOf(endpoint: StoredEndpoint): Promise<InputSchema | null> {
    const keywords = (await this.bodySchemaOf(endpoint)) ?? ANYTHING;
    const isOpen = keywords['type'] === undefined;
    return isOpen || keywords['type'] === 'object' ? { ...keywords, type: 'object' } : null;
  }

  /**
   * Anything where the endpoint has no `input`, or cannot say it; null when the workers are busy,
   * and it may be told the next time.
   */
  bodySchemaOf(endpoint: StoredEndpoint): Promise<BodySchema | null> {
    const typed = endpoint.servingTypes?.input ?? undefined;
    if (typed !== undefined) return Promise.resolve(typed);
    const known = this.#known.get(endpoint);
    if (known !== undefined) return known;
    const asked = this.#ask(endpoint).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      if (!isPassing(error)) return ANYTHING;
      this.#known.delete(endpoint);
      return null;
    });
    this.#known.set(endpoint, asked);
    return asked;
  }

  async #ask({
    definition,
    identity,
    servingCode,
    servingModules,
  }: StoredEndpoint): Promise<BodySchema> {
    const script = await toInputScript(must(servingCode, 'code that serves'));
    if (script === undefined) return ANYTHING;
    const { name } = definition;
    const linked = await this.#linker.link(script, fileNameOf(name), servingModules);
    const digest = inputDigest(linked);
    const kept = await this.kept.find(digest);
    if (kept !== undefined) return kept;
    const loadable: LoadableEndpoint = {
      name: LOADED_AS,
      version: `${identity}.input`,
      isReadOnly: true,
      ...linked,
    };
    const { body } = await this.#runtime.runTrial(
      {
        definition: { ...definition, maxConcurrent: 0, timeoutMs: ENDPOINT_INPUT_SCHEMA_MS },
        loadable: () => loadable,
        calls: newCalls(),
      },
      {
        name,
        caller: NOBODY,
        body: null,
        headers: '{}',
        authorization: undefined,
        runKey: null,
        signal: { aborted: false, reason: undefined },
      },
    );
    const schema = schemaIn(body ?? '');
    this.kept.keep(digest, schema);
    return schema;
  }
}

/** What the code made, which may be anything. */
function schemaIn(json: string): BodySchema {
  if (json.length > ENDPOINT_INPUT_SCHEMA_CHARACTERS_MAX) return ANYTHING;
  const schema: unknown = JSON.parse(json);
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return ANYTHING;
  const { $schema: _dialect, ...keywords } = schema as Record<string, unknown>;
  return keywords;
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof Problem && ['endpoint_overloaded', 'endpoint_timeout'].includes(error.code)
  );
}

/** The top level of a module sees no caller. */
const NOBODY: Caller = {
  kind: 'api',
  userUid: null,
  userName: null,
  isAdmin: false,
  isReadOnlyAdmin: false,
  isGuest: false,
  roles: [],
  scopes: [],
  endpointPath: null,
  tokenId: '',
};
