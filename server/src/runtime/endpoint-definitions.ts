import type { Caller } from '#access/caller.ts';
import { assert } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort, GraphOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Diagnostic } from './compile/diagnostic.ts';
import type { EndpointCompiler } from './compile/endpoint-compiler.ts';
import { checkCode, checkName, DEFAULT_SETTINGS, withChanges } from './endpoint-definition.ts';
import type {
  EndpointChange,
  EndpointDefinition,
  EndpointSettings,
  NewEndpoint,
} from './endpoint-definition.ts';
import { ENDPOINT_TYPE, nodeFields } from './endpoint-store.ts';
import type { EndpointStore, StoredEndpoint } from './endpoint-store.ts';

export interface EndpointDefinitionsOptions {
  readonly store: EndpointStore;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly compiler: EndpointCompiler;
  readonly clock: Clock;
}

/**
 * Creates and changes endpoints (open-shapes, section 5). Code that does not compile is kept as a
 * draft, while the newest version that did goes on serving; an endpoint that is marked read-only
 * always compiles in the read-only scope.
 *
 * A change holds on to the version that it was made from: should anybody else write these nodes
 * meanwhile, it is refused with `version_conflict`, and nothing is lost.
 */
export class EndpointDefinitions {
  readonly #options: EndpointDefinitionsOptions;
  /**
   * The last change that was asked for. One follows the other: each is laid over what the one
   * before has left.
   */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(options: EndpointDefinitionsOptions) {
    this.#options = options;
  }

  /** Rejects with `endpoint_exists`, `not_read_only`, `invalid_request`. */
  create(caller: Caller, endpoint: NewEndpoint): Promise<EndpointDefinition> {
    const { name } = endpoint;
    return this.#inTurn(async () => {
      checkName(name);
      if (this.#options.store.find(name) !== undefined) throw exists(name);
      const settings = withChanges({ ...DEFAULT_SETTINGS, code: '' }, endpoint);
      const diagnostics = await this.#diagnose(settings);
      await this.#write(caller, { name, settings, diagnostics, before: undefined });
      return this.get(name);
    });
  }

  /** Rejects with `endpoint_not_found`, `not_read_only`, `invalid_request`. */
  change(caller: Caller, name: string, change: EndpointChange): Promise<EndpointDefinition> {
    return this.#inTurn(async () => {
      if (change.name !== undefined && change.name !== name) throw renamed();
      const before = this.#require(name);
      const { definition } = before;
      const settings = withChanges(definition, change);
      const isSameCode =
        settings.code === definition.code && settings.isReadOnly === definition.isReadOnly;
      const diagnostics = isSameCode && definition.compiles ? [] : await this.#diagnose(settings);
      await this.#write(caller, { name, settings, diagnostics, before });
      return this.get(name);
    });
  }

  /** Rejects with `endpoint_not_found`. */
  delete(name: string): Promise<void> {
    return this.#inTurn(async () => {
      const { nodeVersion } = this.#require(name);
      await this.#commit({ op: 'delete', type: ENDPOINT_TYPE, key: name, ifVersion: nodeVersion });
    });
  }

  /** Throws `endpoint_not_found`. */
  get(name: string): EndpointDefinition {
    return this.#require(name).definition;
  }

  list(page: { readonly skip: number; readonly take: number }) {
    const all = this.#options.store.all();
    const items = all.slice(page.skip, page.skip + page.take).map(({ definition }) => definition);
    return { items, total: all.length, ...page };
  }

  /** What the compiler says of code that is not saved. */
  check(code: string, isReadOnly: boolean): Promise<Diagnostic[]> {
    checkCode(code);
    const { compiler, reader } = this.#options;
    reader.refresh();
    return compiler.check(code, reader.schema(), isReadOnly);
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#changes.then(change);
    this.#changes = turn.catch(() => {});
    return turn;
  }

  #require(name: string): StoredEndpoint {
    const endpoint = this.#options.store.find(name);
    if (endpoint === undefined) throw notFound(name);
    return endpoint;
  }

  async #diagnose({ code, isReadOnly }: EndpointSettings): Promise<Diagnostic[]> {
    const diagnostics = await this.check(code, isReadOnly);
    if (!isReadOnly || diagnostics.length === 0) return diagnostics;
    throw new Problem('not_read_only', 'The code does not compile in the read-only scope', {
      details: { diagnostics },
    });
  }

  async #write(
    caller: Caller,
    change: {
      readonly name: string;
      readonly settings: EndpointSettings;
      readonly diagnostics: Diagnostic[];
      readonly before: StoredEndpoint | undefined;
    },
  ): Promise<void> {
    const { name, settings, diagnostics, before } = change;
    const version = (before?.definition.version ?? 0) + 1;
    const compiles = diagnostics.length === 0;
    const fields = nodeFields({
      definition: { ...settings, version, compiles, diagnostics },
      servingCode: compiles ? settings.code : before?.servingCode,
      servingVersion: compiles ? version : (before?.servingVersion ?? 0),
      updatedBy: caller.userUid,
    });
    await this.#commit({
      op: 'addOrUpdate',
      type: ENDPOINT_TYPE,
      key: name,
      fields,
      timestamp: this.#options.clock.now(),
      ifVersion: before?.nodeVersion ?? 0,
    });
  }

  async #commit(operation: GraphOperation): Promise<void> {
    const { commits, reader } = this.#options;
    const { sequence } = await commits.commit({ operations: [operation], system: true });
    assert(reader.refresh() >= sequence, 'a commit that is acknowledged is applied');
  }
}

export function notFound(name: string): Problem {
  return new Problem('endpoint_not_found', `There is no endpoint "${name}"`);
}

function exists(name: string): Problem {
  return new Problem('endpoint_exists', `There is an endpoint "${name}" already`);
}

function renamed(): Problem {
  const message = 'must be the name in the path: an endpoint cannot be renamed';
  return new Problem('invalid_request', `The endpoint's name ${message}`, {
    hint: 'Create an endpoint of the new name, and delete this one.',
    details: { fields: [{ path: 'name', message }] },
  });
}
