import { isObject, unreachable } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { defined, listIn, objectIn, type JsonObject } from './json-members.ts';
import {
  refuseOthers,
  untranslatable,
  type NeutralCall,
  type NeutralOutput,
  type NeutralPart,
  type NeutralRequest,
  type NeutralTool,
  type NeutralTurn,
  type ToolChoice,
} from './protocol-adapter.ts';

/**
 * The members that are read, and hints that may be dropped because other protocols have nothing
 * like them. All other members are refused.
 */
const REQUEST = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'metadata',
  'stop_sequences',
  'stream',
  'temperature',
  'top_p',
  'tools',
  'tool_choice',
  'output_config',
  'top_k',
  'thinking',
  'cache_control',
  'service_tier',
  'inference_geo',
]);
const OUTPUT = new Set(['effort', 'format']);
const FORMAT = new Set(['type', 'schema']);
const MESSAGE = new Set(['role', 'content']);
const BLOCKS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(['type', 'text', 'cache_control', 'citations']),
  image: new Set(['type', 'source', 'cache_control']),
  tool_use: new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller']),
  tool_result: new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']),
};
const TOOL = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'cache_control',
  'strict',
  'eager_input_streaming',
  'input_examples',
]);

/**
 * Throws `llm_request_refused` for a request that continues a conversation which the provider
 * keeps. It would be kept under the key of the workspace, so any user could continue it. The
 * client's tool runner reads `details`, and then sends all messages.
 */
export function refuseThread({ thread }: JsonObject): void {
  if (thread === undefined || thread === null) return;
  const message = 'The router keeps no conversations: a request has all its messages.';
  const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };
  throw new Problem('llm_request_refused', message, { hint: 'Leave out "thread".', details });
}

/** Throws `llm_request_refused` for anything that the neutral form cannot express. */
export function readRequest(request: JsonObject): NeutralRequest {
  refuseOthers(request, REQUEST, 'the request');
  refuseOthers(objectIn(request['output_config']), OUTPUT, '"output_config"');
  const choice = request['tool_choice'];
  const hasTools = listIn(request['tools']).length > 0;
  return {
    instructions: systemTexts(request['system']),
    model: request['model'],
    tokensMax: request['max_tokens'],
    turns: listIn(request['messages']).map((message) => turnOf(objectIn(message))),
    temperature: request['temperature'] ?? undefined,
    topP: request['top_p'] ?? undefined,
    stop: request['stop_sequences'] ?? undefined,
    user: objectIn(request['metadata'])['user_id'] ?? undefined,
    stream: request['stream'] ?? undefined,
    output: outputOf(objectIn(objectIn(request['output_config'])['format'])),
    tools: listIn(request['tools']).map(toolOf),
    toolChoice: hasTools && isObject(choice) ? choiceOf(choice) : undefined,
    isSerial: hasTools && objectIn(choice)['disable_parallel_tool_use'] === true,
  };
}

/** The guarantee of this protocol is one that others give for some schemas alone. */
function outputOf(format: JsonObject): NeutralOutput | undefined {
  const { type, schema } = format;
  if (type === undefined) return undefined;
  if (type !== 'json_schema') throw untranslatable(`a format of type "${String(type)}"`);
  refuseOthers(format, FORMAT, 'the format');
  return { name: undefined, schema, isStrict: false };
}

function systemTexts(system: unknown): unknown[] {
  if (typeof system === 'string') return [system];
  return listIn(system).map((block) => {
    const { type, text } = known(objectIn(block));
    if (type === 'text') return text;
    throw untranslatable('a system text of something else than text');
  });
}

function turnOf(message: JsonObject): NeutralTurn {
  refuseOthers(message, MESSAGE, 'a message');
  const { role, content } = message;
  if (typeof content !== 'string' && !Array.isArray(content)) {
    throw untranslatable('a message whose content is neither text nor blocks');
  }
  const blocks =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : content.map((block) => known(objectIn(block)));
  if (role === 'assistant') return { role, parts: blocks.flatMap(answeredOf) };
  if (role !== 'user' && role !== 'system') {
    throw untranslatable(`a message with the role "${String(role)}"`);
  }
  const said = blocks.filter(({ type }) => type !== 'tool_result').map(partOf);
  const results = blocks.filter(({ type }) => type === 'tool_result').map(resultOf);
  return { role, parts: [...results, ...said] };
}

/** Throws for a member that blocks of this type cannot have. */
function known(block: JsonObject): JsonObject {
  const type = String(block['type']);
  const members = BLOCKS[type];
  if (members !== undefined) refuseOthers(block, members, `a block of type "${type}"`);
  return block;
}

/** Leaves out the reasoning of the model: only the provider that made it can read it. */
function answeredOf({ type, text, id, name, input }: JsonObject): NeutralPart[] {
  if (type === 'text') return [{ kind: 'text', text }];
  if (type === 'tool_use') return [{ kind: 'call', id, name, input: input ?? {} }];
  if (type === 'thinking' || type === 'redacted_thinking') return [];
  throw untranslatable(`a block of type "${String(type)}"`);
}

function partOf({ type, text, source }: JsonObject): NeutralPart {
  if (type === 'text') return { kind: 'text', text };
  if (type !== 'image') throw untranslatable(`a block of type "${String(type)}"`);
  const { type: kind, media_type: mediaType, data, url } = objectIn(source);
  if (kind === 'url') return { kind: 'image', url };
  if (kind === 'base64') return { kind: 'image-data', mediaType, data };
  throw untranslatable(`an image of type "${String(kind)}"`);
}

function resultOf({ tool_use_id: callId, content, is_error: isError }: JsonObject): NeutralPart {
  const given = typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content);
  const texts = given.map((block): NeutralPart => {
    const { type, text } = objectIn(block);
    if (type === 'text') return { kind: 'text', text };
    throw untranslatable(`a tool result of type "${String(type)}"`);
  });
  return { kind: 'result', callId, content: texts, isError: isError === true };
}

function toolOf(given: unknown): NeutralTool {
  const { type, name, description, input_schema: input } = objectIn(given);
  if (type !== undefined && type !== null && type !== 'custom') {
    throw untranslatable(`a tool of type "${String(type)}"`);
  }
  refuseOthers(objectIn(given), TOOL, 'a tool');
  return { name, description, input };
}

function choiceOf({ type, name }: JsonObject): ToolChoice {
  switch (type) {
    case 'auto':
    case 'none':
    case 'any':
      return { kind: type };
    case 'tool':
      return { kind: 'tool', name };
    default:
      throw untranslatable('this "tool_choice"');
  }
}

export function writeRequest(request: NeutralRequest, tokensDefault: number): JsonObject {
  const { instructions, temperature, tools, user } = request;
  return defined({
    model: request.model,
    max_tokens: request.tokensMax ?? tokensDefault,
    system:
      instructions.length === 0 ? undefined : instructions.map((text) => ({ type: 'text', text })),
    messages: messagesOf(request.turns),
    // Other protocols allow up to 2, this one up to 1.
    temperature: typeof temperature === 'number' ? Math.min(temperature, 1) : undefined,
    top_p: request.topP,
    stop_sequences: request.stop,
    metadata: user === undefined ? undefined : { user_id: user },
    stream: request.stream,
    output_config: request.output && {
      format: { type: 'json_schema', schema: request.output.schema },
    },
    tools: tools.length === 0 ? undefined : tools.map(writeTool),
    tool_choice: tools.length === 0 ? undefined : writeChoice(request),
  });
}

/** Joins successive turns of one role, because the results of tools must be in one message. */
function messagesOf(turns: readonly NeutralTurn[]): JsonObject[] {
  const all: { role: string; content: JsonObject[] }[] = [];
  for (const { role, parts } of turns) {
    const content = parts.map(writePart);
    const last = all.at(-1);
    if (last?.role === role) last.content.push(...content);
    else all.push({ role, content });
  }
  return all;
}

function writePart(part: NeutralPart): JsonObject {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', source: { type: 'url', url: part.url } };
    case 'image-data': {
      const source = { type: 'base64', media_type: part.mediaType, data: part.data };
      return { type: 'image', source };
    }
    case 'call':
      return writeCall(part);
    case 'result':
      return defined({
        type: 'tool_result',
        tool_use_id: part.callId,
        content: part.content.map(writePart),
        is_error: part.isError ? true : undefined,
      });
    default:
      return unreachable(part);
  }
}

export function writeCall({ id, name, input }: NeutralCall): JsonObject {
  return { type: 'tool_use', id, name, input };
}

function writeTool({ name, description, input }: NeutralTool): JsonObject {
  return defined({ name, description, input_schema: input });
}

function writeChoice({ toolChoice = { kind: 'auto' }, isSerial }: NeutralRequest): JsonObject {
  const choice =
    toolChoice.kind === 'tool'
      ? { type: 'tool', name: toolChoice.name }
      : { type: toolChoice.kind };
  const isLimited = isSerial && choice.type !== 'none';
  return isLimited ? { ...choice, disable_parallel_tool_use: true } : choice;
}
