import type { Caller } from '#access/caller.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import type { EndpointTypes } from '#runtime/compile/endpoint-types.ts';
import type { BodySchema, InputSchema } from '#runtime/endpoint-inputs.ts';
import type { EndpointStanding } from '#runtime/endpoint-store.ts';
import { isAdminOf } from '#runtime/endpoint-runtime.ts';
import { createHash } from 'node:crypto';
import { TOOL_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { must } from '#base/assert.ts';
import type { NodeWrite } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

/** The part of the endpoint service that tools use. */
export interface ToolEndpoints {
  runnable(caller: Caller): readonly EndpointDefinition[];
  standing(name: string): EndpointStanding | undefined;
  inputSchema(name: string): Promise<InputSchema | null>;
  types(name: string): Pick<EndpointTypes, 'output'> | undefined;
}

/** A tool that a caller may call. */
export interface OfferedTool {
  /** The name that models use. */
  readonly name: string;
  readonly description: string;
  readonly endpoint: string;
  /** It changes nothing. */
  readonly isReadOnly: boolean;
  /**
   * The code of its endpoint contains the name `runOnPrimary`. A call of it is refused when the
   * tool is offered as read-only.
   */
  readonly mayRunOnPrimary: boolean;
  /** Whether an administrator made it; the calls of such tools are counted. */
  readonly isDefined: boolean;
  /** Whether somebody made it a tool, or wrote `// trellis: tool` for it. */
  readonly isWritten: boolean;
}

/**
 * The tools offered to a model for one caller (open-shapes, section 7): the tools that
 * administrators made, and the read-only endpoints without such a tool, under their own names. Only
 * tools with an endpoint that the caller may run on this server are offered, and none whose code
 * says `// trellis: tool off`.
 */
export class ToolCatalog {
  readonly #endpoints: ToolEndpoints;
  readonly #store: ToolStore;

  constructor(endpoints: ToolEndpoints, store: ToolStore) {
    this.#endpoints = endpoints;
    this.#store = store;
  }

  /** By name. */
  offered(caller: Caller): OfferedTool[] {
    const runnable = this.#endpoints.runnable(caller).filter(({ name }) => !this.#isOff(name));
    const byName = new Map(runnable.map((endpoint) => [endpoint.name, endpoint]));
    const tools = new Map<string, OfferedTool>();
    const wrapped = new Set<string>();
    for (const tool of this.#store.all()) {
      const endpoint = byName.get(tool.endpoint);
      if (endpoint === undefined || !isFor(tool, endpoint.isReadOnly, caller)) continue;
      tools.set(tool.name, defined(tool, endpoint));
      wrapped.add(endpoint.name);
    }
    for (const { name: endpoint, description, isReadOnly, mayRunOnPrimary } of runnable) {
      const name = toolNameOf(endpoint);
      if (!isReadOnly || wrapped.has(endpoint) || tools.has(name)) continue;
      const written = this.#endpoints.standing(endpoint)?.toolLine.description;
      tools.set(name, {
        name,
        description: written ?? description,
        endpoint,
        isReadOnly,
        mayRunOnPrimary,
        isDefined: false,
        isWritten: written !== undefined,
      });
    }
    return [...tools.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Also finds a tool that cannot run here, such as one that writes on a replica: calling it gives
   * the reason.
   */
  find(caller: Caller, name: string): OfferedTool | undefined {
    const own = this.#store.find(name);
    const standing = own === undefined ? undefined : this.#endpoints.standing(own.endpoint);
    const { isReadOnly = false, mayRunOnPrimary = false, toolLine } = standing ?? {};
    if (own !== undefined && toolLine?.isOff !== true && isFor(own, isReadOnly, caller)) {
      return defined(own, { isReadOnly, mayRunOnPrimary });
    }
    return this.offered(caller).find((tool) => tool.name === name);
  }

  #isOff(endpoint: string): boolean {
    return this.#endpoints.standing(endpoint)?.toolLine.isOff === true;
  }

  /** Null when the endpoint does not take an object: models give arguments by name. */
  inputSchema({ endpoint }: OfferedTool): Promise<InputSchema | null> {
    return this.#endpoints.inputSchema(endpoint);
  }

  /** JSON Schema of what the endpoint answers with the status 200; null when it is not known. */
  outputSchema({ endpoint }: OfferedTool): BodySchema | null {
    return this.#endpoints.types(endpoint)?.output ?? null;
  }
}

function defined(
  { name, description, endpoint }: StoredTool,
  { isReadOnly, mayRunOnPrimary }: Pick<OfferedTool, 'isReadOnly' | 'mayRunOnPrimary'>,
): OfferedTool {
  return {
    name,
    description,
    endpoint,
    isReadOnly,
    mayRunOnPrimary,
    isDefined: true,
    isWritten: true,
  };
}

/** Whether the settings of the tool allow this caller. The endpoint has its own check. */
function isFor({ enabled, access }: StoredTool, isReadOnly: boolean, caller: Caller): boolean {
  return enabled && (access === 'users' || isAdminOf(isReadOnly, caller));
}

const PLAIN_SEGMENTS =
  /^(?:[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)(?:\/[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)*$/;
const HASH_CHARACTERS = 10;

/**
 * The name of the tool for an endpoint: the name of the endpoint with "__" for "/". When this could
 * be ambiguous, has other characters or is too long, the name ends with a hash. It depends only on
 * the name of the endpoint, never on other endpoints. It has only letters, digits, "_" and "-", so
 * all providers accept it as the name of a function.
 */
export function toolNameOf(endpoint: string): string {
  const name = endpoint.replaceAll('/', '__');
  if (PLAIN_SEGMENTS.test(endpoint) && name.length <= TOOL_NAME_CHARACTERS_MAX) return name;
  const hash = createHash('sha256').update(endpoint).digest('hex').slice(0, HASH_CHARACTERS);
  const head = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return `${head.slice(0, TOOL_NAME_CHARACTERS_MAX - HASH_CHARACTERS - 1)}_${hash}`;
}

/** What an administrator decides about a tool (open-shapes, section 7). */
export interface ToolSettings {
  readonly description: string;
  readonly endpoint: string;
  readonly access: 'users' | 'admins';
  readonly enabled: boolean;
}

export interface StoredTool extends ToolSettings {
  readonly UID: string;
  readonly name: string;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
  /** Version of the node, for optimistic changes. */
  readonly nodeVersion: number;
}

/** The node type in which tools are stored: see `#graph/system-schema.ts`. */
export const TOOL_TYPE = '_Tool';

/** Reads the tools that administrators have made. */
export class ToolStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  find(name: string): StoredTool | undefined {
    this.#reader.refresh();
    const id = this.#reader.id({ type: TOOL_TYPE, key: name });
    return id === undefined ? undefined : this.#read(id);
  }

  /** By name. */
  all(): StoredTool[] {
    this.#reader.refresh();
    return [...this.#reader.idsOfType(TOOL_TYPE)]
      .map((id) => this.#read(id))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  #read(id: number): StoredTool {
    const node = must(this.#reader.node(id), 'the node of a tool');
    return {
      UID: node.UID,
      name: String(node.Id),
      description: String(node['Description'] ?? ''),
      endpoint: String(node['Endpoint'] ?? ''),
      access: node['Access'] === 'admins' ? 'admins' : 'users',
      enabled: node['Enabled'] === true,
      updatedAt: node.Timestamp,
      nodeVersion: must(this.#reader.version(id), 'the version of a node'),
    };
  }
}

/** The fields of a tool's node. Nothing else writes these nodes. */
export function toolFields(tool: ToolSettings): NonNullable<NodeWrite['fields']> {
  return {
    Description: tool.description,
    Endpoint: tool.endpoint,
    Access: tool.access,
    Enabled: tool.enabled,
  };
}
