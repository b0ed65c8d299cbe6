import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import { ENDPOINT_INPUT_SCHEMA_CHARACTERS_MAX, ENDPOINT_INPUT_SCHEMA_MS } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { toInputScript } from './compile/script.ts';
import type { EndpointRuntime } from './endpoint-runtime.ts';
import { newCalls, type StoredEndpoint } from './endpoint-store.ts';
import type { LoadableEndpoint } from './sandbox/endpoint-call.ts';

/** A JSON Schema (draft 2020-12) of an object. */
export interface InputSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

/** What any body of an object is. */
const ANY_OBJECT: InputSchema = { type: 'object' };

/**
 * The JSON Schema of what an endpoint takes, as its `input` says (open-shapes, section 5). It is asked of the code itself, in the
 * sandbox where the endpoint runs, once for each version and when somebody wants it: no text of ours says again what zod knows.
 */
export class EndpointInputs {
  readonly #runtime: Pick<EndpointRuntime, 'runTrial'>;
  readonly #known = new WeakMap<StoredEndpoint, Promise<InputSchema | null>>();

  constructor(runtime: Pick<EndpointRuntime, 'runTrial'>) {
    this.#runtime = runtime;
  }

  /** Any object where the endpoint has no `input`, or its schema is not to be had; null when it takes something else than an object. */
  schemaOf(endpoint: StoredEndpoint): Promise<InputSchema | null> {
    const known = this.#known.get(endpoint);
    if (known !== undefined) return known;
    const asked = this.#ask(endpoint).catch((error: unknown) => {
      // The workers were busy: it may be told the next time.
      if (isPassing(error)) this.#known.delete(endpoint);
      else if (!(error instanceof Problem)) throw error;
      return ANY_OBJECT;
    });
    this.#known.set(endpoint, asked);
    return asked;
  }

  async #ask({ definition, identity, servingCode }: StoredEndpoint): Promise<InputSchema | null> {
    const script = await toInputScript(must(servingCode, 'code that serves'));
    if (script === undefined) return ANY_OBJECT;
    const { name } = definition;
    const version = `${identity}.input`;
    const loadable: LoadableEndpoint = { name, version, script, isReadOnly: true };
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
    return schemaIn(body ?? '');
  }
}

/** What the code made, which may be anything. */
function schemaIn(json: string): InputSchema | null {
  if (json.length > ENDPOINT_INPUT_SCHEMA_CHARACTERS_MAX) return ANY_OBJECT;
  const schema: unknown = JSON.parse(json);
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return ANY_OBJECT;
  const { $schema: _dialect, ...keywords } = schema as Record<string, unknown>;
  const isOpen = keywords['type'] === undefined;
  return isOpen || keywords['type'] === 'object' ? { ...keywords, type: 'object' } : null;
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
