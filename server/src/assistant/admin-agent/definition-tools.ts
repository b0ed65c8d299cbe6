import type { ProposalItem } from '@trellis/contract/shapes/admin-agent.ts';
import type { Caller } from '#access/caller.ts';
import { ADMIN_AGENT_LIST_MAX } from '#base/assistant-limits.ts';
import { DEFINITION_KINDS, invalidChange, inWords, type WantedChange } from './proposal.ts';
import type { JsonObject } from '../router/json-members.ts';
import type { ModelTool, ToolText } from '../model/model-run.ts';
import type { Endpoints } from './kinds/endpoint-kind.ts';
import type { DefinitionKinds } from './proposal-review.ts';
import { changesIn, offsetIn, oneOf, pageOfText, textIn } from './tool-input.ts';

export interface WantedProposal {
  readonly summary: string;
  readonly changes: readonly WantedChange[];
  /**
   * Aborts when the call takes too long or nobody wants it any more: the proposal is then not kept.
   */
  readonly signal: AbortSignal;
}

export interface DefinitionToolParts {
  readonly caller: Caller;
  readonly kinds: DefinitionKinds;
  readonly endpoints: Pick<Endpoints, 'check'>;
  /** Keeps a new proposal in the place of the last one. */
  readonly propose: (wanted: WantedProposal) => Promise<readonly ProposalItem[]>;
}

const KIND = { type: 'string', enum: DEFINITION_KINDS } as const;
const TEXT = { type: 'string' } as const;
const OFFSET = { type: 'integer', minimum: 0, description: 'characters to leave out' } as const;

/**
 * The tools by which the admin agent reads definitions and proposes changes. They change nothing
 * but the proposal.
 */
export function definitionTools(parts: DefinitionToolParts): ModelTool[] {
  return [
    {
      name: 'list_definitions',
      description: 'Lists the definitions of one kind, or of all kinds.',
      inputSchema: { type: 'object', properties: { kind: KIND } },
      call: async (input) => list(parts, input),
    },
    {
      name: 'read_definition',
      description: 'Reads one definition. Read what you are going to change.',
      inputSchema: {
        type: 'object',
        properties: { kind: KIND, name: TEXT, offset: OFFSET },
        required: ['kind', 'name'],
      },
      call: async (input) => read(parts, input),
    },
    {
      name: 'check_endpoint',
      description:
        'Compiles the code of an endpoint against the schema that there is, and saves nothing.',
      inputSchema: {
        type: 'object',
        properties: { code: TEXT, isReadOnly: { type: 'boolean' } },
        required: ['code'],
      },
      call: (input) => check(parts, input),
    },
    {
      name: 'propose',
      description:
        'Proposes changes, all of them together, in place of the previous proposal. They are compiled and checked; an ' +
        'administrator approves them or not. Correct what has diagnostics, and propose all changes again.',
      inputSchema: PROPOSAL_SCHEMA,
      call: (input, signal) => propose(parts, input, signal),
    },
  ];
}

const PROPOSAL_SCHEMA = {
  type: 'object',
  properties: {
    summary: { type: 'string', description: 'for the administrator: what changes, and why' },
    changes: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          kind: KIND,
          name: TEXT,
          action: { type: 'string', enum: ['create', 'change', 'delete'] },
          definition: {
            type: 'object',
            description: 'of a change only what changes; nothing for a deletion',
          },
        },
        required: ['kind', 'name', 'action'],
      },
    },
  },
  required: ['summary', 'changes'],
};

function list({ caller, kinds }: DefinitionToolParts, input: JsonObject): ToolText {
  const wanted = input['kind'];
  const names =
    wanted === undefined || wanted === null
      ? DEFINITION_KINDS
      : [oneOf(wanted, 'kind', DEFINITION_KINDS)];
  const lines = names.flatMap((kind) =>
    kinds[kind].list(caller).map(({ name, summary }) => `${kind} ${name}: ${summary}`),
  );
  const shown = lines.slice(0, ADMIN_AGENT_LIST_MAX);
  const rest = lines.length - shown.length;
  const text = [...shown, ...(rest === 0 ? [] : [`and ${rest} more: name a kind`])].join('\n');
  return { text: text === '' ? 'There are none.' : text, output: { definitions: lines.length } };
}

function read({ caller, kinds }: DefinitionToolParts, input: JsonObject): ToolText {
  const kind = oneOf(input['kind'], 'kind', DEFINITION_KINDS);
  const name = textIn(input, 'name');
  const definition = kinds[kind].read(caller, name);
  if (definition === undefined) throw invalidChange(`There is no ${kind} "${name}"`);
  const { code, ...rest } = definition;
  const text = `${JSON.stringify(rest, null, 2)}${typeof code === 'string' ? `\n\n${code}` : ''}`;
  return { text: pageOfText(text, offsetIn(input)), output: { characters: text.length } };
}

async function check(
  { caller, endpoints }: DefinitionToolParts,
  input: JsonObject,
): Promise<ToolText> {
  const draft = { code: textIn(input, 'code'), isReadOnly: input['isReadOnly'] === true };
  const { diagnostics } = await endpoints.check(caller, draft);
  const text = diagnostics.length === 0 ? 'It compiles.' : JSON.stringify(diagnostics);
  return { text, output: { diagnostics } };
}

async function propose(
  parts: DefinitionToolParts,
  input: JsonObject,
  signal: AbortSignal,
): Promise<ToolText> {
  const summary = textIn(input, 'summary');
  const items = await parts.propose({ summary, changes: changesIn(input), signal });
  const output = items.map(({ kind, name, action, diagnostics, widensAccess }) => ({
    kind,
    name,
    action,
    diagnostics,
    widensAccess,
  }));
  const faulty = output.filter(({ diagnostics }) => diagnostics.length > 0);
  const text =
    faulty.length === 0
      ? `Proposed: ${items.map(inWords).join('; ')}. An administrator has to approve it.`
      : `It cannot be approved as it is. Correct this, and propose all changes again: ${JSON.stringify(faulty)}`;
  return { text: pageOfText(text, 0), output: { items: output } };
}
