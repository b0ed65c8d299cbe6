import type { ToolChange } from '@trellis/contract/shapes/tool.ts';
import type { Caller } from '#access/caller.ts';
import type { ToolService } from '#assistant/tools/tool-service.ts';
import { Problem } from '#base/problem.ts';
import { isBuiltIn } from '#runtime/endpoint-definition.ts';
import { notFound } from '#runtime/endpoint-definitions.ts';
import type { Definition, DefinitionKind, Importer, Outlook } from '../definition-kind.ts';

type Tools = Pick<ToolService, 'list' | 'create' | 'put' | 'delete'>;

/** Throw `invalid_request` for what a request would be refused for. */
export interface ToolParsers {
  name(name: string): string;
  definition(definition: Definition): ToolChange;
}

export class ToolKind implements DefinitionKind {
  readonly kind = 'tool';
  readonly layout = { folder: 'tools' };
  readonly #tools: Tools;
  readonly #parsers: ToolParsers;

  constructor(tools: Tools, parsers: ToolParsers) {
    this.#tools = tools;
    this.#parsers = parsers;
  }

  names(caller: Caller): string[] {
    return this.#all(caller).map(({ name }) => name);
  }

  read(caller: Caller, name: string): Definition | undefined {
    const tool = this.#all(caller).find((one) => one.name === name);
    return tool && tidy(tool);
  }

  parse(given: Definition, name: string): Definition {
    this.#parsers.name(name);
    return tidy(this.#parsers.definition(given));
  }

  /** No tool is left without its endpoint. */
  check({ endpoint }: Definition, { isMirror, has }: Outlook): void {
    const wrapped = String(endpoint);
    const isGoing = isMirror && !has('endpoint', wrapped) && !isBuiltIn(wrapped);
    if (isGoing) throw notFound(wrapped);
  }

  async write(
    { caller, address }: Importer,
    name: string,
    { before, after }: { readonly before: Definition | undefined; readonly after: Definition },
  ): Promise<[]> {
    const { description = '', endpoint = '', ...rest } = this.#parsers.definition(after);
    const settings = { ...rest, description, endpoint };
    if (before === undefined) await this.#tools.create(caller, { ...settings, name }, address);
    else await this.#tools.put(caller, name, settings, address);
    return [];
  }

  async delete({ caller, address }: Importer, name: string): Promise<void> {
    await this.#tools.delete(caller, name, address);
  }

  #all(caller: Caller) {
    return this.#tools.list(caller, { skip: 0, take: Infinity }).items;
  }
}

/** Whoever writes a file has to say that a tool is for users. */
function tidy(tool: ToolChange): Definition {
  const { description, endpoint, access = 'admins', enabled = true } = tool;
  if (description === undefined || endpoint === undefined) {
    throw new Problem('invalid_request', 'A tool needs a description and an endpoint');
  }
  return { description, endpoint, access, enabled };
}
