import { isObject } from '#base/assert.ts';
import { listIn, objectIn, textIn, type JsonObject } from './json-members.ts';
import { imageOf, inputOf } from './openai-request.ts';
import {
  refuseOthers,
  untranslatable,
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
  'input',
  'instructions',
  'max_output_tokens',
  'temperature',
  'top_p',
  'stream',
  'text',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'user',
  'include',
  'metadata',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'stream_options',
  'truncation',
]);
const TEXT = new Set(['format', 'verbosity']);
const FORMAT = new Set(['type', 'name', 'schema', 'strict', 'description']);
const TOOL = new Set(['type', 'name', 'description', 'parameters', 'strict']);
const MESSAGE = new Set(['type', 'role', 'content', 'id', 'status', 'phase']);
const CALL = new Set(['type', 'call_id', 'name', 'arguments', 'id', 'status', 'parsed_arguments']);
const RESULT = new Set(['type', 'call_id', 'output', 'id', 'status']);

/** Throws `llm_request_refused` for anything that the neutral form cannot express. */
export function readRequest(request: JsonObject): NeutralRequest {
  for (const name of ['previous_response_id', 'conversation']) {
    if (typeof (request[name] ?? undefined) !== 'undefined') throw notKept(`"${name}"`);
  }
  refuseOthers(request, REQUEST, 'the request');
  const given = request['input'];
  const items = typeof given === 'string' ? [{ role: 'user', content: given }] : listIn(given);
  const all = items.map(objectIn).filter(({ type }) => type !== 'reasoning');
  const instructions = textIn(request['instructions']);
  const { user } = request;
  return {
    model: request['model'],
    tokensMax: request['max_output_tokens'] ?? undefined,
    instructions: [
      ...(instructions === '' ? [] : [instructions]),
      ...all.filter(isSystem).flatMap(systemTexts),
    ],
    turns: together(all.filter((item) => !isSystem(item)).map(turnOf)),
    temperature: request['temperature'] ?? undefined,
    topP: request['top_p'] ?? undefined,
    stop: undefined,
    user: typeof user === 'string' ? user : undefined,
    stream: request['stream'] ?? undefined,
    output: outputOf(objectIn(request['text'])),
    ...toolsOf(request),
  };
}

function notKept(what: string) {
  return untranslatable(
    what,
    'Responses are not stored here: send the whole conversation, with "store" false.',
  );
}

function isSystem({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer';
}

function systemTexts(item: JsonObject): unknown[] {
  return contentOf(item).map((part) => {
    if (part.kind === 'text') return part.text;
    throw untranslatable('a system message of something else than text');
  });
}

function turnOf(item: JsonObject): NeutralTurn {
  const { type = 'message', role, call_id: callId, name } = item;
  switch (type) {
    case 'message':
      if (role === 'user' || role === 'assistant') return { role, parts: contentOf(item) };
      throw untranslatable(`a message with the role "${String(role)}"`);
    case 'function_call': {
      refuseOthers(item, CALL, 'a function call');
      const input = inputOf(item['arguments']);
      return { role: 'assistant', parts: [{ kind: 'call', id: callId, name, input }] };
    }
    case 'function_call_output': {
      refuseOthers(item, RESULT, 'the output of a function call');
      const content = partsOf(item['output']);
      return { role: 'user', parts: [{ kind: 'result', callId, content, isError: false }] };
    }
    case 'item_reference':
      throw notKept('an item of type "item_reference", which is not kept any more,');
    default:
      throw untranslatable(`an item of type "${String(type)}"`);
  }
}

/** What the model said and called in one answer is one turn. */
function together(turns: readonly NeutralTurn[]): NeutralTurn[] {
  const all: NeutralTurn[] = [];
  for (const turn of turns) {
    const last = all.at(-1);
    if (last?.role !== 'assistant' || turn.role !== 'assistant') all.push(turn);
    else all[all.length - 1] = { role: 'assistant', parts: [...last.parts, ...turn.parts] };
  }
  return all;
}

function contentOf(item: JsonObject): NeutralPart[] {
  refuseOthers(item, MESSAGE, 'a message');
  return partsOf(item['content']);
}

/** Leaves out empty texts, which other protocols refuse. */
function partsOf(content: unknown): NeutralPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) {
    throw untranslatable('a message whose content is neither text nor parts');
  }
  return content.map((one) => {
    const { type, text, refusal, image_url: url, detail } = objectIn(one);
    if (type === 'input_text' || type === 'output_text') return { kind: 'text', text };
    if (type === 'refusal') return { kind: 'text', text: refusal };
    if (type === 'input_image' && typeof url === 'string') return imageOf({ url, detail });
    throw untranslatable(`a part of type "${String(type)}"`);
  });
}

function outputOf(text: JsonObject): NeutralOutput | undefined {
  refuseOthers(text, TEXT, '"text"');
  const format = objectIn(text['format']);
  const { type = 'text', name, schema, strict } = format;
  if (type === 'text') return undefined;
  if (type !== 'json_schema') throw untranslatable(`a format of type "${String(type)}"`);
  refuseOthers(format, FORMAT, 'the format');
  return { name, schema, isStrict: strict === true };
}

function toolsOf(request: JsonObject): Pick<NeutralRequest, 'tools' | 'toolChoice' | 'isSerial'> {
  const given = listIn(request['tools']);
  if (given.length === 0) return { tools: [], toolChoice: undefined, isSerial: false };
  return {
    tools: given.map(toolOf),
    toolChoice: choiceOf(request['tool_choice']),
    isSerial: request['parallel_tool_calls'] === false,
  };
}

function toolOf(given: unknown): NeutralTool {
  const tool = objectIn(given);
  const { type, name, description, parameters } = tool;
  if (type !== 'function') throw untranslatable(`a tool of type "${String(type)}"`);
  refuseOthers(tool, TOOL, 'a tool');
  const input = parameters ?? { type: 'object', properties: {} };
  return { name, description: description ?? undefined, input };
}

function choiceOf(choice: unknown): ToolChoice {
  if (choice === undefined || choice === null || choice === 'auto') return { kind: 'auto' };
  if (choice === 'none') return { kind: 'none' };
  if (choice === 'required') return { kind: 'any' };
  if (isObject(choice) && choice['type'] === 'function') {
    return { kind: 'tool', name: choice['name'] };
  }
  throw untranslatable('this "tool_choice"');
}
