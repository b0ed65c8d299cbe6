import { variablesIn } from '@trellis/contract/agent-variables.ts';
import type { AgentChange, AgentDefinition, NewAgent } from '@trellis/contract/shapes/agent.ts';
import { type AuditAction, type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import {
  AGENT_SECONDS_DEFAULT,
  AGENT_STEPS_DEFAULT,
  AGENT_TOKENS_DEFAULT,
  AGENT_TOOL_CALLS_DEFAULT,
} from '#base/assistant-limits.ts';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Staging } from '#graph/staged-commits.ts';
import {
  AGENT_TYPE,
  agentFields,
  type AgentSettings,
  AgentStore,
  type StoredAgent,
} from './agent-store.ts';
import { OutputSchema } from './output-schema.ts';

export interface AgentServiceParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly clock: Clock;
}

/**
 * The agents that administrators make: instructions for a model, and the tools that it may call.
 */
export class AgentService {
  readonly #parts: AgentServiceParts;
  readonly #store: AgentStore;

  constructor(parts: AgentServiceParts) {
    this.#parts = parts;
    this.#store = new AgentStore(parts.reader);
  }

  /** The agents that the caller may run. */
  list(caller: Caller, { skip, take }: { readonly skip: number; readonly take: number }) {
    const all = this.#store.all().filter((agent) => mayRun(caller, agent));
    const items = all.slice(skip, skip + take).map((agent) => {
      const { UID, name, description, model, access, updatedAt, instructions } = agent;
      const variables = variablesIn(instructions);
      return { UID, name, description, model, access, variables, updatedAt };
    });
    return { items, total: all.length, skip, take };
  }

  /** Throws `agent_not_found`. */
  get(_caller: Caller, name: string): AgentDefinition {
    return definitionOf(this.#require(name));
  }

  /** Rejects with `agent_exists`, and as `put` does. */
  async create(caller: Caller, agent: NewAgent, address: string): Promise<AgentDefinition> {
    const { name, ...given } = agent;
    if (this.#store.find(name) !== undefined) {
      throw new Problem('agent_exists', `There is an agent "${name}" already`);
    }
    const settings = changed({ ...USUAL_AGENT, instructions: given.instructions }, given);
    return this.#write(name, settings, {
      by: { caller, address, action: 'agent.created' },
      ifVersion: 0,
    });
  }

  /**
   * Rejects with `agent_not_found`, `invalid_request` for a schema that cannot be checked,
   * `version_conflict`.
   */
  async put(
    caller: Caller,
    name: string,
    change: AgentChange,
    address: string,
  ): Promise<AgentDefinition> {
    const before = this.#require(name);
    return this.#write(name, changed(before, change), {
      by: { caller, address, action: 'agent.changed' },
      ifVersion: before.nodeVersion,
    });
  }

  /** Rejects with `agent_not_found`, `version_conflict`. */
  async delete(caller: Caller, name: string, address: string): Promise<void> {
    const { nodeVersion } = this.#require(name);
    const target = { kind: 'agent', id: name };
    await commitAndRead(
      [
        { op: 'delete', type: AGENT_TYPE, key: name, ifVersion: nodeVersion },
        this.#parts.audit.operation(deed('agent.deleted', { caller, address }, target)),
      ],
      this.#parts,
    );
  }

  /** The same, as a part of a larger commit. */
  over({ reader, commits }: Staging): AgentService {
    return new AgentService({ ...this.#parts, reader, commits });
  }

  #require(name: string): StoredAgent {
    const agent = this.#store.find(name);
    if (agent !== undefined) return agent;
    throw noAgent(name);
  }

  async #write(
    name: string,
    settings: AgentSettings,
    { by, ifVersion }: { readonly by: Deed; readonly ifVersion: number },
  ): Promise<AgentDefinition> {
    const { audit, clock } = this.#parts;
    if (settings.outputSchema !== null) void new OutputSchema(settings.outputSchema);
    const { action, ...who } = by;
    const { instructions: _instructions, ...details } = settings;
    await commitAndRead(
      [
        {
          op: 'addOrUpdate',
          type: AGENT_TYPE,
          key: name,
          fields: agentFields(settings),
          timestamp: clock.now(),
          ifVersion,
        },
        audit.operation(deed(action, who, { kind: 'agent', id: name }, { ...details })),
      ],
      this.#parts,
    );
    return definitionOf(must(this.#store.find(name), 'the agent that was written'));
  }
}

export function noAgent(name: string): Problem {
  return new Problem('agent_not_found', `There is no agent "${name}"`);
}

/** Whether a caller may run an agent. Agents for administrators are hidden from everybody else. */
export function mayRun({ isAdmin, isReadOnlyAdmin }: Caller, { access }: StoredAgent): boolean {
  return access === 'users' || isAdmin || isReadOnlyAdmin;
}

interface Deed {
  readonly caller: Caller;
  readonly address: string;
  readonly action: AuditAction;
}

/** The default settings of an agent. */
export const USUAL_AGENT: Omit<AgentSettings, 'instructions'> = {
  description: '',
  model: null,
  tools: [],
  outputSchema: null,
  access: 'users',
  limits: {
    steps: AGENT_STEPS_DEFAULT,
    toolCalls: AGENT_TOOL_CALLS_DEFAULT,
    tokens: AGENT_TOKENS_DEFAULT,
    seconds: AGENT_SECONDS_DEFAULT,
  },
};

function changed(before: AgentSettings, change: AgentChange): AgentSettings {
  const { limits } = change;
  return {
    description: change.description ?? before.description,
    model: change.model === undefined ? before.model : change.model,
    instructions: change.instructions ?? before.instructions,
    tools: change.tools ?? before.tools,
    outputSchema: change.outputSchema === undefined ? before.outputSchema : change.outputSchema,
    access: change.access ?? before.access,
    limits: {
      steps: limits?.steps ?? before.limits.steps,
      toolCalls: limits?.toolCalls ?? before.limits.toolCalls,
      tokens: limits?.tokens ?? before.limits.tokens,
      seconds: limits?.seconds ?? before.limits.seconds,
    },
  };
}

function definitionOf({ nodeVersion: _nodeVersion, ...agent }: StoredAgent): AgentDefinition {
  return agent;
}
