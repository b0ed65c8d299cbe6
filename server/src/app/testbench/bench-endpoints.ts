import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { checkName, DEFAULT_SETTINGS, withChanges } from '#runtime/endpoint-definition.ts';
import { EndpointCompiler } from '#runtime/compile/endpoint-compiler.ts';
import { bodyShapeText } from '#runtime/compile/script.ts';
import type { GraphReader } from '#graph/reader.ts';
import { newCalls } from '#runtime/endpoint-calls.ts';
import type { StoredEndpoint } from '#runtime/endpoint-store.ts';
import { loadedEndpoint } from '#runtime/guest/calls.ts';
import type { InProcessPool } from '#runtime/in-process/in-process-pool.ts';
import { parseSettings } from '@trellis/endpoint/settings-header.ts';
import type { TestedEndpoint, TestedSettings } from '@trellis/endpoint/testing.ts';
import { BenchPackages } from './bench-packages.ts';

/** An endpoint as a test has it. */
interface Source {
  readonly name: string;
  /** What `loadedEndpoint` takes. */
  readonly made: unknown;
  readonly settings: TestedSettings;
}

/** The endpoints of a test workspace, where a server has its `EndpointStore`. */
export class BenchEndpoints {
  readonly #pool: InProcessPool;
  readonly #reader: GraphReader;
  /** Asked for files alone: of what is imported already the types are gone. */
  readonly #compiler = new EndpointCompiler();
  readonly #packages = new BenchPackages();
  readonly #sources = new Map<string, Source>();
  readonly #stored = new Map<string, StoredEndpoint>();
  #lastVersion = 0;

  constructor(pool: InProcessPool, reader: GraphReader) {
    this.#pool = pool;
    this.#reader = reader;
  }

  async close(): Promise<void> {
    this.#packages[Symbol.dispose]();
    await this.#compiler.close();
  }

  /** The endpoint that a path stands for at the moment. */
  find(name: string): StoredEndpoint | undefined {
    return this.#stored.get(name);
  }

  async register(name: string, endpoint: TestedEndpoint | URL): Promise<void> {
    checkName(name);
    const source = { ...(await this.#sourceOf(endpoint)), name };
    this.#sources.set(name, source);
    this.#stored.set(name, this.#load(source, {}));
  }

  /**
   * What one run is to be of, with settings of its own; undefined for a path that nothing is
   * registered under.
   */
  async prepare(
    endpoint: TestedEndpoint | URL | string,
    settings: TestedSettings,
  ): Promise<StoredEndpoint | undefined> {
    const isPath = typeof endpoint === 'string';
    const source = isPath ? this.#sources.get(endpoint) : await this.#sourceOf(endpoint);
    return source === undefined ? undefined : this.#load(source, settings);
  }

  /**
   * While `begin` is called its path stands for this endpoint: a run looks it up before it waits
   * for anything.
   */
  standFor<T>(endpoint: StoredEndpoint, begin: () => T): T {
    const { name } = endpoint.definition;
    const registered = this.#stored.get(name);
    this.#stored.set(name, endpoint);
    try {
      return begin();
    } finally {
      if (registered === undefined) this.#stored.delete(name);
      else this.#stored.set(name, registered);
    }
  }

  /**
   * A file is imported, and its header read: it says how a server runs it. The type of its body is
   * held against bodies as there.
   */
  async #sourceOf(endpoint: TestedEndpoint | URL): Promise<Source> {
    if (!(endpoint instanceof URL)) {
      const main = typeof endpoint === 'function' ? endpoint : endpoint.default;
      return { name: main.name || 'default', made: madeBy(endpoint), settings: {} };
    }
    const code = readFileSync(endpoint, 'utf8');
    const settings = parseSettings(code);
    const name = basename(endpoint.pathname, '.ts');
    const modules = await this.#packages.prepare(endpoint, code);
    const made = madeBy((await import(endpoint.href)) as TestedEndpoint);
    if (typeof made !== 'function' || !TYPES_BODY.test(code)) return { name, made, settings };
    this.#reader.refresh();
    const schema = this.#reader.schema();
    const isReadOnly = settings.isReadOnly === true;
    const asked = { code, isReadOnly, modules };
    const { types } = await this.#compiler.inspect(asked, schema);
    const shape = bodyShapeText(types);
    return { name, made: shape === undefined ? made : { main: made, shape }, settings };
  }

  #load({ name, made, settings }: Source, more: TestedSettings): StoredEndpoint {
    const { isReadOnly, runAsAdmin, access, timeoutMs } = { ...settings, ...more };
    const base = { ...DEFAULT_SETTINGS, code: '' };
    const definition = withChanges(base, { isReadOnly, runAsAdmin, access, timeoutMs });
    const identity = String(++this.#lastVersion);
    const loaded = loadedEndpoint(made, definition.isReadOnly);
    const script = { fileName: name, script: '', parameters: '', imports: [] };
    const { isReadOnly: readsOnly } = loaded;
    const loadable = { name, version: identity, isReadOnly: readsOnly, script, modules: [] };
    this.#pool.load(loadable, loaded);
    return {
      definition: {
        ...definition,
        UID: '',
        name,
        version: 1,
        compiles: true,
        diagnostics: [],
        // Its text is not at hand here: a server tells.
        mayRunOnPrimary: true,
      },
      identity,
      nodeVersion: 1,
      servingCode: '',
      servingVersion: 1,
      servingModules: {},
      updatedAt: '',
      updatedBy: null,
      calls: newCalls(),
      loadable: () => loadable,
    };
  }
}

/** Other code takes any body, and no compiler has to start for it. */
const TYPES_BODY = /\bbody\b/;

/** What `compile/script.ts` makes a script give. */
function madeBy(endpoint: TestedEndpoint): unknown {
  if (typeof endpoint === 'function') return endpoint;
  const { default: main, input } = endpoint;
  return input === undefined ? main : { main, input };
}
