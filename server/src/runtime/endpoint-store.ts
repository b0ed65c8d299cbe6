import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import type { Diagnostic, EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import type { NodeWrite } from '#graph/operations.ts';
import { parseToolLine, type ToolLine } from '@trellis/endpoint/settings-header.ts';
import type { GraphReader } from '#graph/reader.ts';
import { must } from '#base/assert.ts';
import { ENDPOINT_CACHE_SECONDS_MAX, ENDPOINT_QUEUED_DEFAULT } from '@trellis/contract/limits.ts';
import type { EndpointTypes } from './compile/endpoint-types.ts';
import { toScript } from './compile/script.ts';
import { type EndpointCalls, newCalls } from './endpoint-calls.ts';
import type { ModuleLinker } from './modules/module-linker.ts';
import type { ModulePins } from './modules/module-store.ts';
import type { LoadableEndpoint } from './sandbox/endpoint-call.ts';

/** The node type in which definitions are stored: see `#graph/system-schema.ts`. */
export const ENDPOINT_TYPE = '_Endpoint';

/** An endpoint as it is stored. */
export interface StoredEndpoint {
  readonly definition: EndpointDefinition;
  /** Another one for every version, also when an endpoint is deleted and made anew. */
  readonly identity: string;
  /** Version of the node, for optimistic changes. */
  readonly nodeVersion: number;
  /** The newest code that compiled; undefined when none ever did. */
  readonly servingCode: string | undefined;
  /** The version that this code had. */
  readonly servingVersion: number;
  /** What its types say of its JSON; undefined where it was saved before they were asked. */
  readonly servingTypes?: EndpointTypes | undefined;
  /** The versions of modules that this code was checked with, and runs with. */
  readonly servingModules: ModulePins;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
  /** UID of a user; null when the server itself did it. */
  readonly updatedBy: string | null;
  /** Counts of its calls, whatever their versions. */
  readonly calls: EndpointCalls;
  /** What a worker loads; only where there is code that serves. No promise once it is made. */
  loadable(): LoadableEndpoint | Promise<LoadableEndpoint>;
}

/** What is to be known of an endpoint before it is called. */
export interface EndpointStanding {
  readonly isReadOnly: boolean;
  readonly mayRunOnPrimary: boolean;
  readonly access: 'users' | 'admins';
  /** Whether there is code that compiled. */
  readonly serves: boolean;
  /** What the head of that code says to models. */
  readonly toolLine: Pick<ToolLine, 'isOff' | 'description'>;
}

export function standingOf({ definition, servingCode }: StoredEndpoint): EndpointStanding {
  const { isReadOnly, mayRunOnPrimary, access } = definition;
  const toolLine = parseToolLine(servingCode ?? '');
  return { isReadOnly, mayRunOnPrimary, access, serves: servingCode !== undefined, toolLine };
}

/**
 * Reads the definitions of endpoints. What was read is kept, and read again only when its node has
 * changed: a call costs two look-ups after a commit, and none as long as there was none.
 */
export class EndpointStore {
  readonly #reader: GraphReader;
  readonly #linker: ModuleLinker;
  readonly #known = new Map<string, KnownEndpoint>();
  readonly #mark: string;

  /** `mark` tells identities apart from those of another state, which has the same ids. */
  constructor(reader: GraphReader, linker: ModuleLinker, mark = '') {
    this.#reader = reader;
    this.#linker = linker;
    this.#mark = mark;
  }

  find(name: string): StoredEndpoint | undefined {
    const sequence = this.#reader.refresh();
    const known = this.#known.get(name);
    if (known?.sequence === sequence) return known.endpoint;
    const id = this.#reader.id({ type: ENDPOINT_TYPE, key: name });
    const nodeVersion = id === undefined ? undefined : this.#reader.version(id);
    if (id === undefined || nodeVersion === undefined) {
      this.#known.delete(name);
      return undefined;
    }
    if (known?.id === id && known.endpoint.nodeVersion === nodeVersion) {
      known.sequence = sequence;
      return known.endpoint;
    }
    const node = must(this.#reader.node(id), 'the node of an endpoint');
    // The id tells an endpoint from one of the same name that was deleted.
    const calls = known?.id === id ? known.endpoint.calls : newCalls();
    const identity = `${this.#mark}${id}.${nodeVersion}`;
    const endpoint = storedEndpoint({ node, nodeVersion, identity, calls }, this.#linker);
    this.#known.set(name, { id, sequence, endpoint });
    return endpoint;
  }

  /** How many are kept, read and decoded. */
  get size(): number {
    return this.#known.size;
  }

  /** All endpoints, by name. */
  all(): StoredEndpoint[] {
    this.#reader.refresh();
    const found: StoredEndpoint[] = [];
    for (const id of this.#reader.idsOfType(ENDPOINT_TYPE)) {
      const endpoint = this.find(String(this.#reader.field(id, 'Id')));
      if (endpoint !== undefined) found.push(endpoint);
    }
    return found.toSorted((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
  }
}

interface KnownEndpoint {
  readonly id: number;
  readonly endpoint: StoredEndpoint;
  /** Sequence of the last comparison with the state. */
  sequence: number;
}

/** The fields of a definition's node, but for its key, which is the name. */
export interface EndpointFields {
  readonly definition: Omit<EndpointDefinition, 'UID' | 'name' | 'mayRunOnPrimary'>;
  readonly servingCode: string | undefined;
  readonly servingVersion: number;
  readonly servingTypes: EndpointTypes | undefined;
  readonly servingModules: ModulePins;
  readonly updatedBy: string | null;
}

export function nodeFields({
  definition,
  updatedBy,
  ...rest
}: EndpointFields): NonNullable<NodeWrite['fields']> {
  const { compiles, diagnostics } = definition;
  return {
    ...verdictFields({ ...rest, compiles, diagnostics }),
    Code: definition.code,
    IsReadOnly: definition.isReadOnly,
    Mode: definition.mode,
    Access: definition.access,
    CacheSeconds: definition.cacheSeconds,
    RunAsAdmin: definition.runAsAdmin,
    TimeoutMs: definition.timeoutMs,
    MaxConcurrent: definition.maxConcurrent,
    MaxQueued: definition.maxQueued,
    Description: definition.description,
    Version: definition.version,
    UpdatedBy: updatedBy,
  };
}

/** Those that another verdict on the same code changes. */
export function verdictFields({
  compiles,
  diagnostics,
  servingCode,
  servingVersion,
  servingTypes,
  servingModules,
}: Omit<EndpointFields, 'definition' | 'updatedBy'> &
  Pick<EndpointDefinition, 'compiles' | 'diagnostics'>): NonNullable<NodeWrite['fields']> {
  return {
    Compiles: compiles,
    Diagnostics: diagnostics,
    ServingCode: servingCode ?? null,
    ServingVersion: servingVersion,
    ServingTypes: servingTypes ?? null,
    ServingModules: servingModules,
  };
}

/** The way back of `nodeFields`: nothing else writes these nodes. */
function storedEndpoint(
  {
    node,
    nodeVersion,
    identity,
    calls,
  }: Pick<StoredEndpoint, 'nodeVersion' | 'identity' | 'calls'> & { readonly node: NodeObject },
  linker: ModuleLinker,
): StoredEndpoint {
  const name = String(node.Id);
  const isReadOnly = node['IsReadOnly'] === true;
  const code = String(node['Code'] ?? '');
  const servingCode = node['ServingCode'] as string | undefined;
  const servingTypes = node['ServingTypes'] as EndpointTypes | undefined;
  const servingModules = (node['ServingModules'] ?? {}) as ModulePins;
  let loadable: LoadableEndpoint | Promise<LoadableEndpoint> | undefined;
  const load = async (): Promise<LoadableEndpoint> => {
    const script = await toScript(must(servingCode, 'code that serves'), servingTypes);
    const linked = await linker.link(script, fileNameOf(name), servingModules);
    return (loadable = { name, version: identity, isReadOnly, ...linked });
  };
  return {
    definition: {
      UID: node.UID,
      name,
      code,
      isReadOnly,
      mode: node['Mode'] === 'pooling' ? 'pooling' : 'sync',
      access: node['Access'] === 'admins' ? 'admins' : 'users',
      cacheSeconds: Math.min(Number(node['CacheSeconds']), ENDPOINT_CACHE_SECONDS_MAX),
      runAsAdmin: node['RunAsAdmin'] === true,
      timeoutMs: Number(node['TimeoutMs']),
      // Not there in endpoints of before these settings.
      maxConcurrent: Number(node['MaxConcurrent'] ?? 0),
      maxQueued: Number(node['MaxQueued'] ?? ENDPOINT_QUEUED_DEFAULT),
      description: String(node['Description'] ?? ''),
      version: Number(node['Version']),
      compiles: node['Compiles'] === true,
      diagnostics: (node['Diagnostics'] ?? []) as Diagnostic[],
      mayRunOnPrimary: [servingCode ?? code, ...linker.codes(servingModules)].some(namesPrimary),
    },
    identity,
    nodeVersion,
    servingCode,
    servingVersion: Number(node['ServingVersion'] ?? 0),
    servingTypes,
    servingModules,
    updatedAt: node.Timestamp,
    updatedBy: typeof node['UpdatedBy'] === 'string' ? node['UpdatedBy'] : null,
    calls,
    loadable: () => (loadable ??= load()),
  };
}

/** How the file of an endpoint is called in stack traces. */
export function fileNameOf(endpoint: string): string {
  return `${endpoint}.ts`;
}

/** As the code of an endpoint finds it in its scope. */
const NAME = 'runOnPrimary';

/**
 * Whether code may call `runOnPrimary`: only code in which the name stands is let, in a comment
 * too. So the catalogue tells it without running anything, and what it says holds: a name that is
 * put together at run time is refused.
 */
export function namesPrimary(code: string): boolean {
  return code.includes(NAME);
}
