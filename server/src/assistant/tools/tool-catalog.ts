import type { Caller } from '#access/caller.ts';
import type { EndpointDefinition } from '#runtime/endpoint-definition.ts';
import type { InputSchema } from '#runtime/endpoint-inputs.ts';
import type { EndpointStanding } from '#runtime/endpoint-service.ts';
import { isAdminOf } from '#runtime/run-permission.ts';
import { toolNameOf } from './tool-names.ts';
import type { StoredTool, ToolStore } from './tool-store.ts';

/** As much of the endpoint service as tools need. */
export interface ToolEndpoints {
  runnable(caller: Caller): readonly EndpointDefinition[];
  standing(name: string): EndpointStanding | undefined;
  inputSchema(name: string): Promise<InputSchema | null>;
}

/** What a caller may call. */
export interface OfferedTool {
  /** As models are told it. */
  readonly name: string;
  readonly description: string;
  readonly endpoint: string;
  /** Nothing is changed by it. */
  readonly isReadOnly: boolean;
  /** Its code names `runOnPrimary`, which is refused where it is offered as a reader. */
  readonly mayRunOnPrimary: boolean;
  /** An administrator made it, so that its calls are counted. */
  readonly isDefined: boolean;
}

/**
 * The tools that a model is offered on somebody's behalf (open-shapes, section 7): those that administrators made, and under their
 * own names the read-only endpoints that no such tool wraps; all of them only where this caller may run the endpoint on this server.
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
    const runnable = this.#endpoints.runnable(caller);
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
      tools.set(name, {
        name,
        description,
        endpoint,
        isReadOnly,
        mayRunOnPrimary,
        isDefined: false,
      });
    }
    return [...tools.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Also one that cannot be run here, such as one that writes on a replica: who runs it is told so. */
  find(caller: Caller, name: string): OfferedTool | undefined {
    const own = this.#store.find(name);
    const standing = own === undefined ? undefined : this.#endpoints.standing(own.endpoint);
    const { isReadOnly = false, mayRunOnPrimary = false } = standing ?? {};
    if (own !== undefined && isFor(own, isReadOnly, caller)) {
      return defined(own, { isReadOnly, mayRunOnPrimary });
    }
    return this.offered(caller).find((tool) => tool.name === name);
  }

  /** Null for what does not take an object: models give arguments by name. */
  inputSchema({ endpoint }: OfferedTool): Promise<InputSchema | null> {
    return this.#endpoints.inputSchema(endpoint);
  }
}

function defined(
  { name, description, endpoint }: StoredTool,
  { isReadOnly, mayRunOnPrimary }: Pick<OfferedTool, 'isReadOnly' | 'mayRunOnPrimary'>,
): OfferedTool {
  return { name, description, endpoint, isReadOnly, mayRunOnPrimary, isDefined: true };
}

/** What the tool says, on top of what its endpoint does. */
function isFor({ enabled, access }: StoredTool, isReadOnly: boolean, caller: Caller): boolean {
  return enabled && (access === 'users' || isAdminOf(isReadOnly, caller));
}
