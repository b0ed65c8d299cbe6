import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type {
  Diagnostic,
  EndpointChange,
  EndpointDefinition,
  NewEndpoint,
} from '@trellis/contract/shapes/endpoint.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { checkedEndpoint, type CompileVerdicts } from './compile/compile-verdicts.ts';
import type {
  CodeToCheck,
  EndpointCompiler,
  InspectedCode,
  ReviewedCode,
} from './compile/endpoint-compiler.ts';
import { type EndpointTypes, keptTypes } from './compile/endpoint-types.ts';
import { headDiagnostics, type ScheduleFault } from './compile/head-diagnostics.ts';
import {
  checkCode,
  checkName,
  DEFAULT_SETTINGS,
  type EndpointSettings,
  refuseBuiltIn,
  settingsOf,
  withChanges,
} from './endpoint-definition.ts';
import {
  ENDPOINT_TYPE,
  type EndpointStore,
  nodeFields,
  type StoredEndpoint,
} from './endpoint-store.ts';
import { checkSeen, type CodeAction, type CodeHistory } from './history/code-history.ts';
import type { CodeContent } from './history/unified-diff.ts';
import type { OneAtATime } from '#base/one-at-a-time.ts';
import type { ModuleLinker } from './modules/module-linker.ts';
import { type ModuleStore, pinsOf } from './modules/module-store.ts';

export interface EndpointDefinitionsOptions {
  readonly store: EndpointStore;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly compiler: EndpointCompiler;
  readonly verdicts: Pick<CompileVerdicts, 'note'>;
  readonly modules: ModuleStore;
  readonly linker: Pick<ModuleLinker, 'prepareFor'>;
  readonly history: CodeHistory;
  readonly clock: Clock;
  /** Of changes of code that others import or call: each is laid over what the last has left. */
  readonly turns: OneAtATime;
  readonly scheduleFault: ScheduleFault;
  /** Told after each change; whoever made the change waits for it. */
  readonly onChange: () => Promise<void>;
}

/**
 * Creates and changes endpoints (open-shapes, section 5). Code that does not compile is kept as a
 * draft, while the newest version that did goes on serving; an endpoint that is marked read-only
 * always compiles in the read-only scope.
 *
 * Every version goes into the history with the commit that makes it. A change may name the version
 * that it was made from: should there be a newer one, it is refused with `version_conflict`, and
 * nothing is lost.
 */
export class EndpointDefinitions {
  readonly #options: EndpointDefinitionsOptions;

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
      return this.#write(caller, { name, settings, action: 'created', before: undefined });
    });
  }

  /**
   * One that the server brings along: a version of its own only where it differs from what is
   * there. It compiles with every schema, so nothing is checked, and no start waits for the
   * compiler.
   */
  install(caller: Caller, endpoint: NewEndpoint): Promise<void> {
    const { name } = endpoint;
    return this.#inTurn(async () => {
      const before = this.#options.store.find(name);
      const settings = withChanges({ ...DEFAULT_SETTINGS, code: '' }, endpoint);
      if (
        before !== undefined &&
        isDeepStrictEqual(contentOf(before.definition), contentOf(settings))
      )
        return;
      const action = before === undefined ? 'created' : 'changed';
      await this.#write(caller, { name, settings, action, before, isChecked: true });
    });
  }

  /**
   * Rejects with `endpoint_not_found`, `endpoint_built_in`, `version_conflict`, `not_read_only`,
   * `invalid_request`.
   */
  change(caller: Caller, name: string, change: EndpointChange): Promise<EndpointDefinition> {
    return this.#inTurn(async () => {
      if (change.name !== undefined && change.name !== name) throw renamed();
      const before = this.#require(name);
      refuseBuiltIn(name);
      checkSeen(this.#options.history, endpointItem(name), {
        seen: change.version,
        current: before.definition.version,
      });
      const settings = withChanges(before.definition, change);
      return this.#write(caller, { name, settings, action: 'changed', before });
    });
  }

  /**
   * A new version with the content of an old one, also of an endpoint that is deleted. Rejects with
   * `code_version_not_found`, `endpoint_built_in`, `version_conflict`, `not_read_only`.
   */
  restore(
    caller: Caller,
    name: string,
    wanted: { readonly version: number; readonly seen?: number | undefined },
  ): Promise<EndpointDefinition> {
    return this.#inTurn(async () => {
      const item = endpointItem(name);
      const { history } = this.#options;
      const { code, settings } = history.get(item, wanted.version);
      refuseBuiltIn(name);
      checkSeen(history, item, { seen: wanted.seen, current: history.lastVersion(item) });
      const before = this.#options.store.find(name);
      return this.#write(caller, {
        name,
        settings: { code, ...settings },
        action: 'restored',
        before,
      });
    });
  }

  /** Rejects with `endpoint_not_found`, `endpoint_built_in`. */
  delete(caller: Caller, name: string): Promise<void> {
    return this.#inTurn(async () => {
      const { nodeVersion, definition } = this.#require(name);
      refuseBuiltIn(name);
      const { clock, history } = this.#options;
      const version = definition.version + 1;
      await commitAndRead(
        [
          { op: 'delete', type: ENDPOINT_TYPE, key: name, ifVersion: nodeVersion },
          ...history.operations({
            ...endpointItem(name),
            version,
            action: 'deleted',
            caller,
            nowMs: clock.now(),
            before: contentOf(definition),
            after: undefined,
          }),
        ],
        this.#options,
      );
      await this.#options.onChange();
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

  /** What the compiler says of code that is not saved: in a third of the time of the next. */
  async review(asked: CodeToCheck, schema = this.#schema()): Promise<ReviewedCode> {
    checkCode(asked.code);
    const ofHead = this.#ofHead(asked, schema);
    const reviewed = await this.#options.compiler.review(asked, schema);
    if (ofHead.length === 0) return reviewed;
    return { diagnostics: [...ofHead, ...reviewed.diagnostics] };
  }

  /** The same, and what its types say. */
  async inspect(asked: CodeToCheck, schema = this.#schema()): Promise<InspectedCode> {
    checkCode(asked.code);
    const ofHead = this.#ofHead(asked, schema);
    const inspected = await this.#options.compiler.inspect(asked, schema);
    if (ofHead.length === 0) return inspected;
    return { diagnostics: [...ofHead, ...inspected.diagnostics] };
  }

  #ofHead({ code }: CodeToCheck, schema: SchemaDocument): Diagnostic[] {
    return headDiagnostics(code, schema, this.#options.scheduleFault);
  }

  #schema(): SchemaDocument {
    const { reader } = this.#options;
    reader.refresh();
    return reader.schema();
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    return this.#options.turns.run(change);
  }

  #require(name: string): StoredEndpoint {
    const endpoint = this.#options.store.find(name);
    if (endpoint === undefined) throw notFound(name);
    return endpoint;
  }

  async #inspect(
    name: string,
    { code, isReadOnly }: EndpointSettings,
    schema: SchemaDocument,
  ): Promise<InspectedCode> {
    const asked = { name, code, isReadOnly };
    const inspected = await this.inspect(asked, schema);
    const { diagnostics } = inspected;
    if (!isReadOnly || diagnostics.length === 0) return inspected;
    throw new Problem('not_read_only', 'The code does not compile in the read-only scope', {
      details: { diagnostics },
    });
  }

  /**
   * Of code that compiled when it was saved: it serves, whatever is said of it now. Its types are
   * asked for when they never were.
   */
  async #typesOf(
    { code, isReadOnly }: EndpointSettings,
    before: StoredEndpoint,
    schema: SchemaDocument,
  ): Promise<EndpointTypes | undefined> {
    if (before.servingTypes !== undefined) return before.servingTypes;
    const { name } = before.definition;
    return (await this.#options.compiler.inspect({ name, code, isReadOnly }, schema)).types;
  }

  async #write(
    caller: Caller,
    change: {
      readonly name: string;
      readonly settings: EndpointSettings;
      readonly action: CodeAction;
      readonly before: StoredEndpoint | undefined;
      /** It is known to compile. */
      readonly isChecked?: boolean;
    },
  ): Promise<EndpointDefinition> {
    const { name, settings, action, before } = change;
    const { clock, history, modules, verdicts } = this.#options;
    const schema = this.#schema();
    const kept = change.isChecked !== true && isSameCode(settings, before) ? before : undefined;
    const isChecked = change.isChecked === true || kept !== undefined;
    // Workers are at what it imports while it is checked.
    if (!isChecked) await this.#options.linker.prepareFor(settings.code);
    const inspected = isChecked ? COMPILES : await this.#inspect(name, settings, schema);
    const { diagnostics } = inspected;
    const types = kept ? await this.#typesOf(settings, kept, schema) : inspected.types;
    const item = endpointItem(name);
    const version = (before?.definition.version ?? history.lastVersion(item)) + 1;
    const compiles = diagnostics.length === 0;
    const nowMs = clock.now();
    const fields = nodeFields({
      definition: { ...settings, version, compiles, diagnostics },
      servingCode: compiles ? settings.code : before?.servingCode,
      servingVersion: compiles ? version : (before?.servingVersion ?? 0),
      servingTypes: compiles ? types && keptTypes(types) : before?.servingTypes,
      servingModules:
        compiles && kept === undefined
          ? pinsOf(settings.code, modules)
          : (before?.servingModules ?? {}),
      updatedBy: caller.userUid,
    });
    await commitAndRead(
      [
        {
          op: 'addOrUpdate',
          type: ENDPOINT_TYPE,
          key: name,
          fields,
          timestamp: nowMs,
          ifVersion: before?.nodeVersion ?? 0,
        },
        ...history.operations({
          ...item,
          version,
          action,
          caller,
          nowMs,
          before: before && contentOf(before.definition),
          after: contentOf(settings),
        }),
      ],
      this.#options,
    );
    const written = this.#require(name);
    if (!isChecked) verdicts.note(checkedEndpoint(written), schema, diagnostics);
    await this.#options.onChange();
    return written.definition;
  }
}

const COMPILES: InspectedCode = { diagnostics: [] };

/** Whether the code of a definition compiled, as it is to be saved again. */
function isSameCode(
  { code, isReadOnly }: EndpointSettings,
  before: StoredEndpoint | undefined,
): boolean {
  const { definition } = before ?? {};
  return (
    definition?.compiles === true &&
    definition.code === code &&
    definition.isReadOnly === isReadOnly
  );
}

function endpointItem(name: string) {
  return { kind: 'endpoint', name } as const;
}

function contentOf(endpoint: EndpointSettings): CodeContent {
  return { code: endpoint.code, settings: settingsOf(endpoint) };
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
    hint: 'Create an endpoint with the new name, and delete this one.',
    details: { fields: [{ path: 'name', message }] },
  });
}
