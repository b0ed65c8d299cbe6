import { AGENT_VARIABLE } from '@trellis/contract/agent-variables.ts';
import { must } from '#base/assert.ts';
import type { NodeWrite } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { JsonObject } from '../router/json-members.ts';

/** What one run may use. */
export interface AgentLimits {
  readonly steps: number;
  readonly toolCalls: number;
  /** Input and output tokens of all steps. */
  readonly tokens: number;
  readonly seconds: number;
}

/** What an administrator decides about an agent. */
export interface AgentSettings {
  readonly description: string;
  /** Null means the first model that the settings of the provider allow. */
  readonly model: string | null;
  /** May contain variables: see `variablesIn`. */
  readonly instructions: string;
  readonly tools: readonly string[];
  /** A JSON Schema; null where answers are text. */
  readonly outputSchema: JsonObject | null;
  readonly access: 'users' | 'admins';
  readonly limits: AgentLimits;
}

export interface StoredAgent extends AgentSettings {
  readonly UID: string;
  readonly name: string;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
  /** Version of the node, for optimistic changes. */
  readonly nodeVersion: number;
}

/** The node type in which agents are stored: see `#graph/system-schema.ts`. */
export const AGENT_TYPE = '_Agent';

/** Reads the agents that administrators have made. */
export class AgentStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  find(name: string): StoredAgent | undefined {
    this.#reader.refresh();
    const id = this.#reader.id({ type: AGENT_TYPE, key: name });
    return id === undefined ? undefined : this.#read(id);
  }

  /** By name. */
  all(): StoredAgent[] {
    this.#reader.refresh();
    return [...this.#reader.idsOfType(AGENT_TYPE)]
      .map((id) => this.#read(id))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  #read(id: number): StoredAgent {
    const node = must(this.#reader.node(id), 'the node of an agent');
    const model = node['Model'];
    const schema = node['OutputSchema'];
    return {
      UID: node.UID,
      name: String(node.Id),
      description: String(node['Description'] ?? ''),
      model: typeof model === 'string' ? model : null,
      instructions: String(node['Instructions'] ?? ''),
      tools: (node['Tools'] ?? []) as readonly string[],
      outputSchema: (schema ?? null) as JsonObject | null,
      access: node['Access'] === 'admins' ? 'admins' : 'users',
      limits: node['Limits'] as AgentLimits,
      updatedAt: node.Timestamp,
      nodeVersion: must(this.#reader.version(id), 'the version of a node'),
    };
  }
}

/** The fields of an agent's node. Nothing else writes these nodes. */
export function agentFields(agent: AgentSettings): NonNullable<NodeWrite['fields']> {
  return {
    Description: agent.description,
    Model: agent.model,
    Instructions: agent.instructions,
    Tools: agent.tools,
    OutputSchema: agent.outputSchema,
    Access: agent.access,
    Limits: { ...agent.limits },
  };
}

/**
 * The instructions with each variable replaced by its value or default. A variable without either
 * stays as written. Variables inside of values are not replaced.
 */
export function filledIn(instructions: string, values: Readonly<Record<string, string>>): string {
  return instructions.replace(AGENT_VARIABLE, (typed: string, name: string, fallback?: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? typed) : (fallback ?? typed),
  );
}
