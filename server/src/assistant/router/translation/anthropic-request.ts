import { defined, isObject, listIn, objectIn, textIn } from '../json-members.ts';
import type { JsonObject } from '../llm-call.ts';
import { refuseMembers, untranslatable } from './refused.ts';

const REFUSED = ['functions', 'function_call', 'logprobs', 'audio', 'web_search_options'];

/** A chat completion of OpenAI's protocol as a message of Anthropic's. Throws `llm_request_refused`. */
export function anthropicRequest(request: JsonObject, tokensDefault: number): JsonObject {
  refuseMembers(request, REFUSED);
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
  const { content } = objectIn(message);
  return blocks(content).map((block) => {
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
  const { role, content } = message;
  switch (role) {
    case 'user':
      return { role, content: blocks(content) };
    case 'assistant':
      return { role, content: [...blocks(content), ...listIn(message['tool_calls']).map(toolUse)] };
    case 'tool': {
      const result = { tool_use_id: message['tool_call_id'], content: blocks(content) };
      return { role: 'user', content: [{ type: 'tool_result', ...result }] };
    }
    default:
      throw untranslatable(`a message with the role "${String(role)}"`);
  }
}

/** Of text, or of the parts of a message. An empty text is none: the other protocol refuses it. */
function blocks(content: unknown): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return listIn(content).map((part) => {
    const { type, text, image_url: image } = objectIn(part);
    if (type === 'text' || type === 'refusal') {
      return { type: 'text', text: text ?? objectIn(part)['refusal'] };
    }
    if (type === 'image_url') return { type: 'image', source: imageSource(objectIn(image)) };
    throw untranslatable(`a part of type "${String(type)}"`);
  });
}

const DATA_URL = /^data:([\w/+.-]+);base64,(.*)$/s;

function imageSource(image: JsonObject): JsonObject {
  const url = textIn(image['url']);
  const [, mediaType, data] = DATA_URL.exec(url) ?? [];
  if (mediaType === undefined) return { type: 'url', url };
  return { type: 'base64', media_type: mediaType, data };
}

function toolUse(call: unknown): JsonObject {
  const { id, type = 'function', function: called } = objectIn(call);
  if (type !== 'function') throw untranslatable(`a tool call of type "${String(type)}"`);
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
