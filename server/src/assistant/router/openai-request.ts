import { isObject } from '#base/assert.ts';
import { defined, listIn, objectIn, textIn, type JsonObject } from './json-members.ts';
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
  type ToolResult,
} from './protocol-adapter.ts';

/**
 * The members that are read, and hints that may be dropped because other protocols have nothing
 * like them. All other members are refused.
 */
const REQUEST = new Set([
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'stop',
  'user',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'n',
  'response_format',
  'modalities',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'reasoning_effort',
  'store',
  'metadata',
  'service_tier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'verbosity',
  'safety_identifier',
]);
const SAID = ['role', 'content', 'name'];
const MESSAGES: Readonly<Record<string, ReadonlySet<string>>> = {
  system: new Set(SAID),
  developer: new Set(SAID),
  user: new Set(SAID),
  // Clients send these members back from an earlier answer.
  assistant: new Set([...SAID, 'refusal', 'tool_calls', 'parsed', 'annotations', 'reasoning']),
  tool: new Set([...SAID, 'tool_call_id']),
};
const PARTS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(['type', 'text']),
  refusal: new Set(['type', 'refusal']),
  image_url: new Set(['type', 'image_url']),
};
const IMAGE = new Set(['url', 'detail']);
const TOOL_CALL = new Set(['id', 'type', 'function', 'index']);
const CALLED = new Set(['name', 'arguments', 'parsed_arguments', 'parsed']);
const TOOL = new Set(['type', 'function']);
const FUNCTION = new Set(['name', 'description', 'parameters', 'strict']);

/** Throws `llm_request_refused` for anything that the neutral form cannot express. */
export function readRequest(request: JsonObject): NeutralRequest {
  refuseOthers(request, REQUEST, 'the request');
  if (listIn(request['modalities']).some((one) => one !== 'text')) {
    throw untranslatable('"modalities" other than text');
  }
  if (typeof request['n'] === 'number' && request['n'] > 1) throw untranslatable('"n"');
  const { stop, user } = request;
  const messages = listIn(request['messages']).map(objectIn);
  return {
    model: request['model'],
    tokensMax: request['max_completion_tokens'] ?? request['max_tokens'] ?? undefined,
    instructions: messages.filter(isSystem).flatMap(systemTexts),
    turns: messages.filter((message) => !isSystem(message)).map(turnOf),
    temperature: request['temperature'] ?? undefined,
    topP: request['top_p'] ?? undefined,
    stop: typeof stop === 'string' ? [stop] : (stop ?? undefined),
    user: typeof user === 'string' ? user : undefined,
    stream: request['stream'] ?? undefined,
    output: outputOf(objectIn(request['response_format'])),
    ...toolsOf(request),
  };
}

const FORMAT = new Set(['type', 'json_schema']);
const SCHEMA = new Set(['name', 'schema', 'strict', 'description']);

function outputOf(format: JsonObject): NeutralOutput | undefined {
  const { type = 'text', json_schema: given } = format;
  if (type === 'text') return undefined;
  if (type !== 'json_schema') throw untranslatable(`"response_format" of type "${String(type)}"`);
  refuseOthers(format, FORMAT, '"response_format"');
  refuseOthers(objectIn(given), SCHEMA, '"json_schema"');
  const { name, schema, strict } = objectIn(given);
  return { name, schema, isStrict: strict === true };
}

function isSystem({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer';
}

function systemTexts(message: JsonObject): unknown[] {
  return contentOf(message).map((part) => {
    if (part.kind === 'text') return part.text;
    throw untranslatable('a system message of something else than text');
  });
}

function turnOf(message: JsonObject): NeutralTurn {
  const { role, refusal } = message;
  switch (role) {
    case 'user':
      return { role, parts: contentOf(message) };
    case 'assistant': {
      const said = [...contentOf(message), ...partsOf(textIn(refusal))];
      return { role, parts: [...said, ...listIn(message['tool_calls']).map(callOf)] };
    }
    case 'tool': {
      const result = { callId: message['tool_call_id'], content: contentOf(message) };
      return { role: 'user', parts: [{ kind: 'result', ...result, isError: false }] };
    }
    default:
      throw untranslatable(`a message with the role "${String(role)}"`);
  }
}

function contentOf(message: JsonObject): NeutralPart[] {
  const { role, content } = message;
  const known = MESSAGES[String(role)];
  if (known === undefined) throw untranslatable(`a message with the role "${String(role)}"`);
  refuseOthers(message, known, `a message with the role "${String(role)}"`);
  const isNone = content === undefined || content === null;
  if (!isNone && typeof content !== 'string' && !Array.isArray(content)) {
    throw untranslatable('a message whose content is neither text nor parts');
  }
  return partsOf(content);
}

/** Leaves out empty texts, which other protocols refuse. */
function partsOf(content: unknown): NeutralPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return listIn(content).map((one) => {
    const part = objectIn(one);
    const { type, text, refusal, image_url: image } = part;
    const known = PARTS[String(type)];
    if (known !== undefined) refuseOthers(part, known, `a part of type "${String(type)}"`);
    if (type === 'text' || type === 'refusal') return { kind: 'text', text: text ?? refusal };
    if (type === 'image_url') return imageOf(objectIn(image));
    throw untranslatable(`a part of type "${String(type)}"`);
  });
}

const DATA_URL = /^data:([\w/+.-]+);base64,(.*)$/s;

export function imageOf(image: JsonObject): NeutralPart {
  refuseOthers(image, IMAGE, 'an image');
  const url = textIn(image['url']);
  const [, mediaType, data] = DATA_URL.exec(url) ?? [];
  return mediaType === undefined ? { kind: 'image', url } : { kind: 'image-data', mediaType, data };
}

function callOf(call: unknown): NeutralPart {
  const { id, type = 'function', function: called } = objectIn(call);
  if (type !== 'function') throw untranslatable(`a tool call of type "${String(type)}"`);
  refuseOthers(objectIn(call), TOOL_CALL, 'a tool call');
  refuseOthers(objectIn(called), CALLED, 'a tool call');
  const { name, arguments: text } = objectIn(called);
  return { kind: 'call', id, name, input: inputOf(text) };
}

/** The arguments of a call, which clients send back as JSON text. */
export function inputOf(text: unknown): JsonObject {
  let input: unknown;
  try {
    input = JSON.parse(textIn(text) || '{}');
  } catch {
    throw untranslatable('a tool call whose arguments are not JSON');
  }
  if (!isObject(input)) throw untranslatable('a tool call whose arguments are no object');
  return input;
}

function toolsOf(request: JsonObject): Pick<NeutralRequest, 'tools' | 'toolChoice' | 'isSerial'> {
  const given = listIn(request['tools']);
  if (given.length === 0) return { tools: [], toolChoice: undefined, isSerial: false };
  return {
    toolChoice: choiceOf(request['tool_choice']),
    isSerial: request['parallel_tool_calls'] === false,
    tools: given.map(toolOf),
  };
}

function toolOf(given: unknown): NeutralTool {
  const { type, function: described } = objectIn(given);
  if (type !== 'function') throw untranslatable(`a tool of type "${String(type)}"`);
  refuseOthers(objectIn(given), TOOL, 'a tool');
  refuseOthers(objectIn(described), FUNCTION, 'a function');
  const { name, description, parameters } = objectIn(described);
  const input = parameters ?? { type: 'object', properties: {} };
  return { name, description: description ?? undefined, input };
}

function choiceOf(choice: unknown): ToolChoice {
  switch (choice) {
    case undefined:
    case null:
      return { kind: 'auto' };
    case 'auto':
    case 'none':
      return { kind: choice };
    case 'required':
      return { kind: 'any' };
    default: {
      const { type, function: named } = objectIn(choice);
      if (type !== 'function') throw untranslatable('this "tool_choice"');
      return { kind: 'tool', name: objectIn(named)['name'] };
    }
  }
}

export function writeRequest(request: NeutralRequest): JsonObject {
  const system = request.instructions.join('\n\n');
  const { tools, toolChoice } = request;
  return defined({
    model: request.model,
    max_completion_tokens: request.tokensMax,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...request.turns.flatMap(messagesOf),
    ],
    temperature: request.temperature,
    top_p: request.topP,
    stop: request.stop,
    user: request.user,
    stream: request.stream,
    response_format: request.output && writeOutput(request.output),
    tools: tools.length === 0 ? undefined : tools.map(writeTool),
    tool_choice: toolChoice && writeChoice(toolChoice),
    parallel_tool_calls: request.isSerial ? false : undefined,
  });
}

const OUTPUT_NAME = 'answer';

function writeOutput({ name = OUTPUT_NAME, schema, isStrict }: NeutralOutput): JsonObject {
  return { type: 'json_schema', json_schema: { name, schema, strict: isStrict } };
}

/** The results of tools are messages of their own; they come before the user's text. */
function messagesOf({ role, parts }: NeutralTurn): JsonObject[] {
  if (role === 'assistant') return [assistantMessage(parts)];
  const said = parts.filter(({ kind }) => kind !== 'result').map(writePart);
  return [
    ...parts.flatMap((part) => (part.kind === 'result' ? [toolMessage(part)] : [])),
    ...(said.length === 0 ? [] : [{ role, content: plain(said) }]),
  ];
}

/** Sends a single text as a string, because some servers do not accept parts. */
function plain(parts: readonly JsonObject[]): unknown {
  const [first] = parts;
  return parts.length === 1 && first?.['type'] === 'text' ? first['text'] : parts;
}

function writePart(part: NeutralPart): JsonObject {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image_url', image_url: { url: part.url } };
    case 'image-data': {
      const url = `data:${String(part.mediaType)};base64,${String(part.data)}`;
      return { type: 'image_url', image_url: { url } };
    }
    default:
      throw untranslatable(`a part of type "${part.kind}"`);
  }
}

function assistantMessage(parts: readonly NeutralPart[]): JsonObject {
  const texts = parts.filter(({ kind }) => kind === 'text') as { text: unknown }[];
  const calls = parts.flatMap((part) => (part.kind === 'call' ? [writeCall(part)] : []));
  return defined({
    role: 'assistant',
    content: texts.length === 0 ? null : texts.map(({ text }) => text).join(''),
    tool_calls: calls.length === 0 ? undefined : calls,
  });
}

export function writeCall({ id, name, input }: NeutralCall): JsonObject {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } };
}

/** This protocol cannot mark a failed tool, so the text says it. */
function toolMessage({ callId, content, isError }: ToolResult): JsonObject {
  const text = content.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
  return { role: 'tool', tool_call_id: callId, content: isError ? `Error: ${text}` : text };
}

function writeTool({ name, description, input }: NeutralTool): JsonObject {
  return { type: 'function', function: defined({ name, description, parameters: input }) };
}

function writeChoice(choice: ToolChoice): unknown {
  if (choice.kind === 'tool') return { type: 'function', function: { name: choice.name } };
  return choice.kind === 'any' ? 'required' : choice.kind;
}
