import type { NewTool, ToolChange, ToolDefinition } from '@trellis/contract/shapes/tool.ts';
import { type AuditAction, type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Staging } from '#graph/staged-commits.ts';
import { notFound } from '#runtime/endpoint-definitions.ts';
import type { InputSchema } from '#runtime/endpoint-inputs.ts';
import type { EndpointStanding } from '#runtime/endpoint-store.ts';
import { CallMetrics, type MetricsRow } from '#runtime/endpoint-calls.ts';
import {
  type StoredTool,
  TOOL_TYPE,
  toolFields,
  type ToolSettings,
  ToolStore,
} from './tool-catalog.ts';

/** The part of the endpoint service that tools use. */
export interface WrappedEndpoints {
  standing(name: string): EndpointStanding | undefined;
  /** Null when the endpoint does not take an object. */
  inputSchema(name: string): Promise<InputSchema | null>;
}

export interface ToolServiceParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  readonly endpoints: WrappedEndpoints;
  readonly metrics: ToolMetrics;
}

/**
 * The tools that administrators make: each is an endpoint under a name of its own, for models
 * (open-shapes, section 7).
 */
export class ToolService {
  readonly #parts: ToolServiceParts;
  readonly #store: ToolStore;

  constructor(parts: ToolServiceParts) {
    this.#parts = parts;
    this.#store = new ToolStore(parts.reader);
  }

  list(_caller: Caller, { skip, take }: { readonly skip: number; readonly take: number }) {
    const all = this.#store.all();
    const items = all.slice(skip, skip + take).map((tool) => this.#definition(tool));
    return { items, total: all.length, skip, take };
  }

  /** Rejects with `tool_exists`, and like `put`. */
  async create(caller: Caller, tool: NewTool, address: string): Promise<ToolDefinition> {
    const { name, description, endpoint, access = 'users', enabled = true } = tool;
    if (this.#store.find(name) !== undefined) {
      throw new Problem('tool_exists', `There is a tool "${name}" already`);
    }
    const settings = { description, endpoint, access, enabled };
    await this.#checkEndpoint(endpoint);
    const by = { caller, address, action: 'tool.created' } as const;
    return this.#write(name, settings, { by, ifVersion: 0 });
  }

  /**
   * Rejects with `tool_not_found`, `endpoint_not_found`, `endpoint_not_compiled`, `invalid_request`
   * for an endpoint that models cannot call, and `version_conflict` when somebody else changed the
   * tool at the same time.
   */
  async put(
    caller: Caller,
    name: string,
    change: ToolChange,
    address: string,
  ): Promise<ToolDefinition> {
    const before = this.#require(name);
    const settings: ToolSettings = {
      description: change.description ?? before.description,
      endpoint: change.endpoint ?? before.endpoint,
      access: change.access ?? before.access,
      enabled: change.enabled ?? before.enabled,
    };
    if (settings.endpoint !== before.endpoint) await this.#checkEndpoint(settings.endpoint);
    const by = { caller, address, action: 'tool.changed' } as const;
    return this.#write(name, settings, { by, ifVersion: before.nodeVersion });
  }

  /** Rejects with `tool_not_found`, `version_conflict`. */
  async delete(caller: Caller, name: string, address: string): Promise<void> {
    const { nodeVersion, endpoint } = this.#require(name);
    const { audit } = this.#parts;
    const target = { kind: 'tool', id: name };
    await commitAndRead(
      [
        { op: 'delete', type: TOOL_TYPE, key: name, ifVersion: nodeVersion },
        audit.operation(deed('tool.deleted', { caller, address }, target, { endpoint })),
      ],
      this.#parts,
    );
  }

  /** The same, as a part of a larger commit with these endpoints. */
  over({ reader, commits }: Staging, endpoints: WrappedEndpoints): ToolService {
    return new ToolService({ ...this.#parts, reader, commits, endpoints });
  }

  /** The calls of each existing tool, since this server started. */
  metrics(_caller: Caller): { readonly items: (MetricsRow & { readonly tool: string })[] } {
    const { metrics } = this.#parts;
    return { items: this.#store.all().map(({ name }) => ({ tool: name, ...metrics.row(name) })) };
  }

  #require(name: string): StoredTool {
    const tool = this.#store.find(name);
    if (tool !== undefined) return tool;
    throw new Problem('tool_not_found', `There is no tool "${name}"`);
  }

  async #checkEndpoint(name: string): Promise<void> {
    const { endpoints } = this.#parts;
    const standing = endpoints.standing(name);
    if (standing === undefined) throw notFound(name);
    if (!standing.serves) {
      throw new Problem('endpoint_not_compiled', `The endpoint "${name}" does not compile`);
    }
    if ((await endpoints.inputSchema(name)) !== null) return;
    const message = 'must take an object, because models give arguments by name';
    throw new Problem('invalid_request', `body, endpoint: ${message}`, {
      details: { fields: [{ path: 'endpoint', message }] },
    });
  }

  async #write(
    name: string,
    settings: ToolSettings,
    { by, ifVersion }: { readonly by: Deed; readonly ifVersion: number },
  ): Promise<ToolDefinition> {
    const { audit, clock } = this.#parts;
    const { action, ...who } = by;
    await commitAndRead(
      [
        {
          op: 'addOrUpdate',
          type: TOOL_TYPE,
          key: name,
          fields: toolFields(settings),
          timestamp: clock.now(),
          ifVersion,
        },
        audit.operation(deed(action, who, { kind: 'tool', id: name }, { ...settings })),
      ],
      this.#parts,
    );
    return this.#definition(must(this.#store.find(name), 'the tool that was written'));
  }

  #definition({ nodeVersion: _nodeVersion, ...tool }: StoredTool): ToolDefinition {
    const standing = this.#parts.endpoints.standing(tool.endpoint);
    return {
      ...tool,
      isReadOnly: standing?.isReadOnly ?? null,
      mayRunOnPrimary: standing?.mayRunOnPrimary ?? null,
      problem: problemOf(standing),
    };
  }
}

/** Why nobody is offered a tool. */
function problemOf(standing: EndpointStanding | undefined): ToolDefinition['problem'] {
  if (standing === undefined) return 'endpoint_not_found';
  if (!standing.serves) return 'endpoint_not_compiled';
  return standing.toolLine.isOff ? 'endpoint_tool_off' : null;
}

interface Deed {
  readonly caller: Caller;
  readonly address: string;
  readonly action: AuditAction;
}

/** Counts the calls of tools by name, since the server started. */
export class ToolMetrics {
  readonly #byName = new Map<string, CallMetrics>();

  /**
   * `nowMs` is the time of the clock. Only called for existing tools, so there are no more counts
   * than tools.
   */
  record(tool: string, ms: number, isError: boolean, nowMs: number): void {
    this.#of(tool).record(ms, isError, nowMs);
  }

  row(tool: string): MetricsRow {
    return this.#of(tool).row();
  }

  #of(tool: string): CallMetrics {
    const known = this.#byName.get(tool) ?? new CallMetrics();
    this.#byName.set(tool, known);
    return known;
  }
}
