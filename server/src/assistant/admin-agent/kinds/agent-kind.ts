import type { AgentChange, AgentDefinition, NewAgent } from '@trellis/contract/shapes/agent.ts';
import type { Caller } from '#access/caller.ts';
import type { JsonObject } from '../../router/json-members.ts';
import {
  type Approver,
  type DefinitionKind,
  type ProposalDiagnostic,
  type ProposedChange,
  refuseMismatch,
  type WantedChange,
} from '../proposal.ts';

/** The part of the agent service that this kind uses. */
export interface Agents {
  list(
    caller: Caller,
    page: { readonly skip: number; readonly take: number },
  ): { readonly items: readonly Pick<AgentDefinition, 'name' | 'description' | 'access'>[] };
  get(caller: Caller, name: string): AgentDefinition;
  create(caller: Caller, agent: NewAgent, address: string): Promise<AgentDefinition>;
  put(caller: Caller, name: string, change: AgentChange, address: string): Promise<AgentDefinition>;
  delete(caller: Caller, name: string, address: string): Promise<void>;
}

/** Throw `invalid_request` where a request with this value would be refused. */
export interface AgentParsers {
  name(name: string): string;
  definition(definition: JsonObject): AgentChange;
}

/** A new agent is for administrators, unless its definition says that it is for users. */
const NEW_SETTINGS = { access: 'admins' } as const;

export class AgentKind implements DefinitionKind {
  readonly description =
    'agent: {instructions, description?, model?, tools?: [names of tools], outputSchema?: a JSON Schema or null, access?: "users"|"admins" ' +
    '(a new one is for admins), limits?: {steps?, toolCalls?, tokens?, seconds?}}; its name is letters, digits, "_" and "-"';
  readonly #agents: Agents;
  readonly #parse: AgentParsers;

  constructor(agents: Agents, parse: AgentParsers) {
    this.#agents = agents;
    this.#parse = parse;
  }

  list(caller: Caller) {
    const { items } = this.#agents.list(caller, { skip: 0, take: Infinity });
    return items.map(({ name, access, description }) => ({
      name,
      summary: [access, description].join(', '),
    }));
  }

  read(caller: Caller, name: string): JsonObject | undefined {
    if (!this.list(caller).some((agent) => agent.name === name)) return undefined;
    const agent = this.#agents.get(caller, name);
    const { description, model, instructions, tools, outputSchema, access, limits } = agent;
    return { description, model, instructions, tools, outputSchema, access, limits };
  }

  propose(caller: Caller, wanted: WantedChange): ProposedChange {
    const { kind, action, definition } = wanted;
    const name = this.#parse.name(wanted.name);
    const before = this.current(caller, wanted);
    refuseMismatch(wanted, before !== null);
    const change = { kind, name, action, before };
    if (action === 'delete' || definition === undefined) return { ...change, after: null };
    const given = this.#parse.definition(definition);
    const { limits: known } = (before ?? {}) as Pick<AgentChange, 'limits'>;
    const limits = known === undefined ? given.limits : { ...known, ...given.limits };
    const after = { ...(before ?? NEW_SETTINGS), ...given };
    return { ...change, after: limits === undefined ? after : { ...after, limits } };
  }

  current(caller: Caller, { name }: { readonly name: string }): JsonObject | null {
    return this.read(caller, name) ?? null;
  }

  /** A missing tool is no fault: a run leaves it out. */
  async check({ after }: ProposedChange): Promise<ProposalDiagnostic[]> {
    if (after === null || after['instructions'] !== undefined) return [];
    return [{ message: 'It needs instructions.' }];
  }

  widenedBy({ before, after }: ProposedChange): string[] {
    const isForUsers = (agent: JsonObject | null) => agent?.['access'] === 'users';
    return isForUsers(after) && !isForUsers(before) ? ['Every signed-in user may run it.'] : [];
  }

  async commit({ caller, address }: Approver, change: ProposedChange): Promise<null> {
    const { name, action, after } = change;
    if (after === null) {
      await this.#agents.delete(caller, name, address);
      return null;
    }
    const definition = this.#parse.definition(after);
    if (action === 'create') {
      const { instructions = '' } = definition;
      await this.#agents.create(caller, { ...definition, name, instructions }, address);
    } else {
      await this.#agents.put(caller, name, definition, address);
    }
    return null;
  }
}
