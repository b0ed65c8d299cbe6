import { defined, isObject, listIn, objectIn, textIn } from '../json-members.ts';
import type { JsonObject } from '../llm-call.ts';
import { refuseOthers, untranslatable } from './refused.ts';

/** What is translated, and the hints that are left out as the other protocol has none of the kind. All else is refused. */
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
  // The last are what clients keep of an answer.
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

/** A chat completion of OpenAI's protocol as a message of Anthropic's. Throws `llm_request_refused`. */
export function anthropicRequest(request: JsonObject, tokensDefault: number): JsonObject {
  refuseOthers(request, REQUEST, 'the request');
  if (listIn(request['modalities']).some((one) => one !== 'text')) {
    throw untranslatable('"modalities" other than text');
  }
  if (typeof request['n'] === 'number' && request['n'] > 1) throw untranslatable('"n"');
  const format = objectIn(request['response_format'])['type'] ?? 'text';
  if (format !== 'text') throw untranslatable(`"response_format" of type ${String(format)}`);
  const { temperature, stop, user } = request;
  const system = listIn(request['messages']).filter(isSystem).flatMap(systemBlocks);
  return defined({
    model: request['model'],
    max_tokens: request['max_completion_tokens'] ?? request['max_tokens'] ?? tokensDefault,
    system: system.length === 0 ? undefined : system,
    messages: turns(listIn(request['messages']).filter((message) => !isSystem(message))),
    // One protocol goes up to 2, the other up to 1.
    temperature: typeof temperature === 'number' ? Math.min(temperature, 1) : undefined,
    top_p: request['top_p'] ?? undefined,
    stop_sequences: typeof stop === 'string' ? [stop] : (stop ?? undefined),
    metadata: typeof user === 'string' ? { user_id: user } : undefined,
    stream: request['stream'] ?? undefined,
    ...tools(request),
  });
}

function isSystem(message: unknown): boolean {
  const { role } = objectIn(message);
  return role === 'system' || role === 'developer';
}

function systemBlocks(message: unknown): JsonObject[] {
  return contentOf(objectIn(message)).map((block) => {
    if (block['type'] === 'text') return block;
    throw untranslatable('a system message of something else than text');
  });
}

/** Turns of one role after another are one: the results of tools have to come together. */
function turns(messages: readonly unknown[]): JsonObject[] {
  const all: { role: string; content: JsonObject[] }[] = [];
  for (const message of messages) {
    const turn = turnOf(objectIn(message));
    const last = all.at(-1);
    if (last?.role === turn.role) last.content.push(...turn.content);
    else all.push(turn);
  }
  return all;
}

function turnOf(message: JsonObject): { role: string; content: JsonObject[] } {
  const { role, refusal } = message;
  switch (role) {
    case 'user':
      return { role, content: contentOf(message) };
    case 'assistant': {
      const said = [...contentOf(message), ...blocks(textIn(refusal))];
      return { role, content: [...said, ...listIn(message['tool_calls']).map(toolUse)] };
    }
    case 'tool': {
      const result = { tool_use_id: message['tool_call_id'], content: contentOf(message) };
      return { role: 'user', content: [{ type: 'tool_result', ...result }] };
    }
    default:
      throw untranslatable(`a message with the role "${String(role)}"`);
  }
}

function contentOf(message: JsonObject): JsonObject[] {
  const { role, content } = message;
  const known = MESSAGES[String(role)];
  if (known === undefined) throw untranslatable(`a message with the role "${String(role)}"`);
  refuseOthers(message, known, `a message with the role "${String(role)}"`);
  const isNone = content === undefined || content === null;
  if (!isNone && typeof content !== 'string' && !Array.isArray(content)) {
    throw untranslatable('a message whose content is neither text nor parts');
  }
  return blocks(content);
}

/** Of text, or of the parts of a message. An empty text is none: the other protocol refuses it. */
function blocks(content: unknown): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return listIn(content).map((part) => {
    const { type, text, image_url: image } = objectIn(part);
    const known = PARTS[String(type)];
    if (known !== undefined)
      refuseOthers(objectIn(part), known, `a part of type "${String(type)}"`);
    if (type === 'text' || type === 'refusal') {
      return { type: 'text', text: text ?? objectIn(part)['refusal'] };
    }
    if (type === 'image_url') return { type: 'image', source: imageSource(objectIn(image)) };
    throw untranslatable(`a part of type "${String(type)}"`);
  });
}

const DATA_URL = /^data:([\w/+.-]+);base64,(.*)$/s;

function imageSource(image: JsonObject): JsonObject {
  refuseOthers(image, IMAGE, 'an image');
  const url = textIn(image['url']);
  const [, mediaType, data] = DATA_URL.exec(url) ?? [];
  if (mediaType === undefined) return { type: 'url', url };
  return { type: 'base64', media_type: mediaType, data };
}

function toolUse(call: unknown): JsonObject {
  const { id, type = 'function', function: called } = objectIn(call);
  if (type !== 'function') throw untranslatable(`a tool call of type "${String(type)}"`);
  refuseOthers(objectIn(call), TOOL_CALL, 'a tool call');
  refuseOthers(objectIn(called), CALLED, 'a tool call');
  const { name, arguments: text } = objectIn(called);
  return { type: 'tool_use', id, name, input: argumentsOf(textIn(text)) };
}

function argumentsOf(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text === '' ? '{}' : text);
  } catch {
    throw untranslatable('a tool call whose arguments are not JSON');
  }
  if (!isObject(value)) throw untranslatable('a tool call whose arguments are no object');
  return value;
}

function tools(request: JsonObject): Record<string, unknown> {
  const given = listIn(request['tools']);
  if (given.length === 0) return {};
  const choice = toolChoice(request['tool_choice']);
  const isSerial = request['parallel_tool_calls'] === false && choice['type'] !== 'none';
  return {
    tools: given.map(tool),
    tool_choice: isSerial ? { ...choice, disable_parallel_tool_use: true } : choice,
  };
}

function tool(given: unknown): JsonObject {
  const { type, function: described } = objectIn(given);
  if (type !== 'function') throw untranslatable(`a tool of type "${String(type)}"`);
  refuseOthers(objectIn(given), TOOL, 'a tool');
  refuseOthers(objectIn(described), FUNCTION, 'a function');
  const { name, description, parameters } = objectIn(described);
  const schema = parameters ?? { type: 'object', properties: {} };
  return defined({ name, description: description ?? undefined, input_schema: schema });
}

function toolChoice(choice: unknown): JsonObject {
  switch (choice) {
    case undefined:
    case null:
    case 'auto':
      return { type: 'auto' };
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any' };
    default: {
      const { type, function: named } = objectIn(choice);
      if (type !== 'function') throw untranslatable('this "tool_choice"');
      return { type: 'tool', name: objectIn(named)['name'] };
    }
  }
}
