import type { AgentChange } from '@trellis/contract/shapes/agent.ts';
import type { Caller } from '#access/caller.ts';
import { USUAL_AGENT, type AgentService } from '#assistant/agents/agent-service.ts';
import { Problem } from '#base/problem.ts';
import type { Definition, DefinitionKind, Importer } from '../definition-kind.ts';

type Agents = Pick<AgentService, 'list' | 'get' | 'create' | 'put' | 'delete'>;

/** Throw `invalid_request` for what a request would be refused for. */
export interface AgentParsers {
  name(name: string): string;
  definition(definition: Definition): AgentChange;
}

export class AgentKind implements DefinitionKind {
  readonly kind = 'agent';
  readonly layout = {
    folder: 'agents',
    text: { member: 'instructions', ending: '.md', endsLine: true },
  };
  readonly #agents: Agents;
  readonly #parsers: AgentParsers;

  constructor(agents: Agents, parsers: AgentParsers) {
    this.#agents = agents;
    this.#parsers = parsers;
  }

  names(caller: Caller): string[] {
    return this.#agents.list(caller, { skip: 0, take: Infinity }).items.map(({ name }) => name);
  }

  read(caller: Caller, name: string): Definition | undefined {
    return this.names(caller).includes(name) ? tidy(this.#agents.get(caller, name)) : undefined;
  }

  parse(given: Definition, name: string): Definition {
    this.#parsers.name(name);
    return tidy(this.#parsers.definition(given));
  }

  async write(
    { caller, address }: Importer,
    name: string,
    { before, after }: { readonly before: Definition | undefined; readonly after: Definition },
  ): Promise<[]> {
    const { instructions = '', ...rest } = this.#parsers.definition(after);
    const settings = { ...rest, instructions };
    if (before === undefined) await this.#agents.create(caller, { ...settings, name }, address);
    else await this.#agents.put(caller, name, settings, address);
    return [];
  }

  async delete({ caller, address }: Importer, name: string): Promise<void> {
    await this.#agents.delete(caller, name, address);
  }
}

/**
 * Whoever writes a file has to say that an agent is for users. The schema of answers keeps its
 * order, which models see.
 */
function tidy(agent: AgentChange): Definition {
  const { description = '', model = null, tools = [], outputSchema = null } = agent;
  const { access = 'admins', instructions, limits = {} } = agent;
  if (instructions === undefined) {
    throw new Problem('invalid_request', 'An agent needs instructions');
  }
  const usual = USUAL_AGENT.limits;
  return {
    description,
    model,
    tools,
    outputSchema,
    access,
    limits: {
      steps: limits.steps ?? usual.steps,
      toolCalls: limits.toolCalls ?? usual.toolCalls,
      tokens: limits.tokens ?? usual.tokens,
      seconds: limits.seconds ?? usual.seconds,
    },
    instructions,
  };
}
