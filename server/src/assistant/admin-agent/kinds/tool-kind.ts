import type { NewTool, ToolChange, ToolDefinition } from '@trellis/contract/shapes/tool.ts';
import type { Caller } from '#access/caller.ts';
import type { EndpointStanding } from '#runtime/endpoint-store.ts';
import type { InputSchema } from '#runtime/endpoint-inputs.ts';
import type { JsonObject } from '../../router/json-members.ts';
import {
  type Approver,
  type DefinitionKind,
  type Outlook,
  type ProposalDiagnostic,
  type ProposedChange,
  refuseMismatch,
  type WantedChange,
} from '../proposal.ts';
import type { WrappingTools } from './endpoint-kind.ts';

/** The part of the tool service that this kind uses. */
export interface Tools {
  list(
    caller: Caller,
    page: { readonly skip: number; readonly take: number },
  ): { readonly items: readonly ToolDefinition[] };
  create(caller: Caller, tool: NewTool, address: string): Promise<ToolDefinition>;
  put(caller: Caller, name: string, change: ToolChange, address: string): Promise<ToolDefinition>;
  delete(caller: Caller, name: string, address: string): Promise<void>;
}

/** Throw `invalid_request` where a request with this value would be refused. */
export interface ToolParsers {
  name(name: string): string;
  definition(definition: JsonObject): ToolChange;
}

interface WrappedEndpoints {
  standing(name: string): EndpointStanding | undefined;
  inputSchema(name: string): Promise<InputSchema | null>;
}

/** A new tool is for administrators, unless its definition says that it is for users. */
const NEW_SETTINGS = { access: 'admins', enabled: true } as const;

export class ToolKind implements DefinitionKind, WrappingTools {
  readonly description =
    'tool: {description, endpoint (its name), access?: "users"|"admins" (a new one is for admins), enabled?}; its name is letters, ' +
    'digits, "_" and "-"';
  readonly #tools: Tools;
  readonly #endpoints: WrappedEndpoints;
  readonly #parse: ToolParsers;

  constructor(tools: Tools, endpoints: WrappedEndpoints, parse: ToolParsers) {
    this.#tools = tools;
    this.#endpoints = endpoints;
    this.#parse = parse;
  }

  list(caller: Caller) {
    return this.#all(caller).map(({ name, description, endpoint, access }) => ({
      name,
      summary: `${access}, endpoint ${endpoint}, ${description}`,
    }));
  }

  wrapping(caller: Caller, endpoint: string): string[] {
    const tools = this.#all(caller).filter((tool) => tool.endpoint === endpoint);
    return tools.map(({ name }) => name);
  }

  read(caller: Caller, name: string): JsonObject | undefined {
    const tool = this.#all(caller).find((one) => one.name === name);
    if (tool === undefined) return undefined;
    const { description, endpoint, access, enabled } = tool;
    return { description, endpoint, access, enabled };
  }

  propose(caller: Caller, wanted: WantedChange): ProposedChange {
    const { kind, action, definition } = wanted;
    const name = this.#parse.name(wanted.name);
    const before = this.current(caller, wanted);
    refuseMismatch(wanted, before !== null);
    const change = { kind, name, action, before };
    if (action === 'delete' || definition === undefined) return { ...change, after: null };
    const given = this.#parse.definition(definition);
    return { ...change, after: { ...(before ?? NEW_SETTINGS), ...given } };
  }

  current(caller: Caller, { name }: { readonly name: string }): JsonObject | null {
    return this.read(caller, name) ?? null;
  }

  async check({ after }: ProposedChange, { changes }: Outlook): Promise<ProposalDiagnostic[]> {
    if (after === null) return [];
    const missing = ['description', 'endpoint'].filter((member) => after[member] === undefined);
    if (missing.length > 0) return [{ message: `It needs ${missing.join(' and ')}.` }];
    const endpoint = String(after['endpoint']);
    const proposed = changes.find(({ kind, name }) => kind === 'endpoint' && name === endpoint);
    const standing = this.#endpoints.standing(endpoint);
    const isThere = proposed === undefined ? standing !== undefined : proposed.after !== null;
    if (!isThere) return [{ message: `There is no endpoint "${endpoint}".` }];
    // The input of a proposed endpoint is known only after it is created.
    if (proposed !== undefined) return [];
    if (standing?.serves !== true) {
      return [{ message: `The endpoint "${endpoint}" does not compile.` }];
    }
    if ((await this.#endpoints.inputSchema(endpoint)) !== null) return [];
    return [{ message: `The endpoint "${endpoint}" does not take an object.` }];
  }

  widenedBy({ before, after }: ProposedChange): string[] {
    if (after === null || !isForUsers(after)) return [];
    if (before === null || !isForUsers(before)) {
      return ['Models offer it to every user who may call its endpoint.'];
    }
    if (before['endpoint'] === after['endpoint']) return [];
    return ['Models offer another endpoint than before to users.'];
  }

  async commit({ caller, address }: Approver, change: ProposedChange): Promise<null> {
    const { name, action, after } = change;
    if (after === null) {
      await this.#tools.delete(caller, name, address);
      return null;
    }
    const definition = this.#parse.definition(after);
    if (action === 'create') {
      const { description = '', endpoint = '' } = definition;
      await this.#tools.create(caller, { ...definition, name, description, endpoint }, address);
    } else {
      await this.#tools.put(caller, name, definition, address);
    }
    return null;
  }

  #all(caller: Caller): readonly ToolDefinition[] {
    return this.#tools.list(caller, { skip: 0, take: Infinity }).items;
  }
}

function isForUsers(tool: JsonObject): boolean {
  return tool['access'] === 'users' && tool['enabled'] === true;
}
