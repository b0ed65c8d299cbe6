import type { Caller } from '#access/caller.ts';
import { MCP_RESULT_CHARACTERS_MAX } from '#base/limits.ts';
import {
  SNIPPET_CHARACTERS_MAX,
  SNIPPETS_PER_RESULT_MAX,
  TOOL_RESULT_CHARACTERS_MAX,
  TOOLS_PER_REQUEST_MAX,
} from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import type { EndpointAnswer } from '#runtime/call-outcome.ts';
import type { Snippets } from '../citations/snippets.ts';
import type { ModelTool, ToolText } from '../model/model-run.ts';
import type { OfferedTool, ToolCatalog } from './tool-catalog.ts';
import { chosenTools } from './tool-choice.ts';
import type { ToolRuns } from './tool-runs.ts';
import type { ToolVectors } from './tool-vectors.ts';

export interface WantedTools {
  /** Names of tools; all tools when left out. Tools that the caller may not call are left out. */
  readonly names?: readonly string[] | undefined;
  readonly isReadOnlyOnly?: boolean | undefined;
  /** What the model is asked: where there are too many tools, those that fit it are offered. */
  readonly question?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Numbers the nodes in results, so that an answer can cite them. */
  readonly snippets?: Snippets | undefined;
  /** The headers that the code of endpoints may see, as JSON text of an object. */
  readonly headers?: string | undefined;
  /** The `Authorization` header of the caller. */
  readonly authorization?: string | undefined;
  /** The number of agent runs around these calls. */
  readonly agentDepth?: number | undefined;
}

/** The tools of one caller, for models that this server asks. */
export class CallerTools {
  readonly #catalog: ToolCatalog;
  readonly #runs: ToolRuns;

  readonly #vectors: ToolVectors | undefined;

  constructor(catalog: ToolCatalog, runs: ToolRuns, vectors?: ToolVectors) {
    this.#catalog = catalog;
    this.#runs = runs;
    this.#vectors = vectors;
  }

  /**
   * Throws `invalid_request` for names of tools that do not exist or that the caller may not call.
   */
  check(caller: Caller, names: readonly string[]): void {
    const offered = new Set(this.#catalog.offered(caller).map(({ name }) => name));
    const faults = names.flatMap((name, i) =>
      offered.has(name) ? [] : [{ path: `tools.${i}`, message: 'is no tool that you may call' }],
    );
    const [first] = faults;
    if (first === undefined) return;
    throw new Problem('invalid_request', `body, ${first.path}: ${first.message}`, {
      details: { fields: faults },
    });
  }

  /**
   * The tools by name, at most as many as one request may have. Each runs its endpoint as the
   * caller, and rejects like the endpoint. Code of
   * endpoints is run, once for each version, to learn what they take.
   */
  async for(caller: Caller, wanted: WantedTools = {}): Promise<ModelTool[]> {
    const offered = await this.#chosen(this.offered(caller, wanted), wanted);
    const tools = await Promise.all(offered.map((tool) => this.#modelTool(caller, tool, wanted)));
    return tools.filter((tool) => tool !== undefined);
  }

  /** What may be named, by name; no code is run. A model gets those of them that take an object. */
  offered(caller: Caller, { names, isReadOnlyOnly }: WantedTools = {}): OfferedTool[] {
    const named = names === undefined ? undefined : new Set(names);
    return this.#catalog
      .offered(caller)
      .filter(({ name }) => named?.has(name) ?? true)
      .filter(({ isReadOnly }) => isReadOnly || isReadOnlyOnly !== true);
  }

  async #chosen(
    offered: readonly OfferedTool[],
    { question = '', signal = new AbortController().signal }: WantedTools,
  ): Promise<readonly OfferedTool[]> {
    if (offered.length <= TOOLS_PER_REQUEST_MAX) return offered;
    const closeness = await this.#vectors?.closeness(offered, question, signal);
    return chosenTools(offered, question, closeness);
  }

  async #modelTool(
    caller: Caller,
    tool: OfferedTool,
    { snippets, headers = '{}', authorization, agentDepth }: WantedTools,
  ): Promise<ModelTool | undefined> {
    const inputSchema = await this.#catalog.inputSchema(tool);
    if (inputSchema === null) return undefined;
    const { name, description } = tool;
    return {
      name,
      description,
      inputSchema,
      call: (input, signal) =>
        this.#runs.call(
          tool,
          input,
          { caller, headers, authorization, signal, agentDepth },
          (answer) => textOf(answer, snippets),
        ),
    };
  }
}

/**
 * The text of an answer for a model. Throws `endpoint_failed` for an answer with an error status,
 * or one that is too large for any model.
 */
function textOf(
  { status, headers, body }: EndpointAnswer,
  snippets: Snippets | undefined,
): ToolText {
  const json = body ?? JSON.stringify({ location: headers?.['location'] ?? null });
  if (json.length > MCP_RESULT_CHARACTERS_MAX) {
    throw new Problem('endpoint_failed', `The result has ${json.length} characters: ask for less`);
  }
  if (status >= 400) {
    throw new Problem('endpoint_failed', `The endpoint answers ${status}: ${bounded(json)}`);
  }
  const output: unknown = JSON.parse(json);
  const text = snippets === undefined ? json : JSON.stringify(citedResult(output, snippets));
  if (text.length <= TOOL_RESULT_CHARACTERS_MAX) return { text, output };
  const cut = bounded(text);
  return { text: cut, output: cut };
}

/** Cuts a text that is too long for a model, and says so at the end. */
function bounded(text: string): string {
  if (text.length <= TOOL_RESULT_CHARACTERS_MAX) return text;
  const head = text.slice(0, TOOL_RESULT_CHARACTERS_MAX);
  return `${head}\n[Cut: these are the first ${head.length} of ${text.length} characters. Ask for less to see all.]`;
}

/**
 * Adds the member "citation" to each node of a result, so that a model can cite it; a node is an
 * object with a `UID`. A node inside of another node gets its own number.
 */
export function citedResult(result: unknown, snippets: Snippets): unknown {
  let left = SNIPPETS_PER_RESULT_MAX;
  const cited = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(cited);
    if (typeof value !== 'object' || value === null) return value;
    const node = value as Readonly<Record<string, unknown>>;
    const { UID: uid } = node;
    // A node gets its number before the nodes inside of it.
    const isNode = typeof uid === 'string' && left-- > 0;
    const mark = isNode ? { citation: snippets.add(uid, factsOf(node)).id } : {};
    const members = Object.entries(node).map(([name, member]) => [name, cited(member)] as const);
    // Named twice: to be the first member, and to win over a member of the node with the same name.
    return { ...mark, ...Object.fromEntries(members), ...mark };
  };
  return cited(result);
}

/** The facts of a node, one per line. */
function factsOf(node: Readonly<Record<string, unknown>>): string {
  const facts = Object.entries(node).filter(([name, value]) => name !== 'UID' && isFact(value));
  const lines = facts.map(([name, value]) => `${name}: ${String(value)}`);
  return lines.join('\n').slice(0, SNIPPET_CHARACTERS_MAX);
}

function isFact(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isFact);
  return ['string', 'number', 'boolean'].includes(typeof value);
}
