import { defined, isObject, listIn, objectIn } from '../json-members.ts';
import type { JsonObject } from '../llm-call.ts';
import { refuseOthers, untranslatable } from './refused.ts';

/** What is translated, and the hints that are left out as the other protocol has none of the kind. All else is refused. */
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
const OUTPUT = new Set(['effort']);
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

/** A message of Anthropic's protocol as a chat completion of OpenAI's. Throws `llm_request_refused`. */
export function openAiRequest(request: JsonObject): JsonObject {
  refuseOthers(request, REQUEST, 'the request');
  refuseOthers(objectIn(request['output_config']), OUTPUT, '"output_config"');
  const system = systemText(request['system']);
  return defined({
    model: request['model'],
    max_completion_tokens: request['max_tokens'],
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...listIn(request['messages']).flatMap((message) => messagesOf(objectIn(message))),
    ],
    temperature: request['temperature'] ?? undefined,
    top_p: request['top_p'] ?? undefined,
    stop: request['stop_sequences'] ?? undefined,
    user: objectIn(request['metadata'])['user_id'] ?? undefined,
    stream: request['stream'] ?? undefined,
    ...tools(request),
  });
}

function systemText(system: unknown): string {
  if (typeof system === 'string') return system;
  return listIn(system)
    .map((block) => {
      const { type, text } = known(objectIn(block));
      if (type === 'text') return text;
      throw untranslatable('a system text of something else than text');
    })
    .join('\n\n');
}

/** The results of tools are messages of their own, and go before what the user says with them. */
function messagesOf(message: JsonObject): JsonObject[] {
  refuseOthers(message, MESSAGE, 'a message');
  const { role, content } = message;
  if (typeof content !== 'string' && !Array.isArray(content)) {
    throw untranslatable('a message whose content is neither text nor blocks');
  }
  const blocks =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : content.map((block) => known(objectIn(block)));
  if (role === 'assistant') return [assistantMessage(blocks)];
  if (role !== 'user' && role !== 'system') {
    throw untranslatable(`a message with the role "${String(role)}"`);
  }
  const isResult = (block: JsonObject): boolean => block['type'] === 'tool_result';
  const parts = blocks.filter((block) => !isResult(block)).map(part);
  return [
    ...blocks.filter(isResult).map(toolMessage),
    ...(parts.length === 0 ? [] : [{ role, content: plain(parts) }]),
  ];
}

/** Throws for a member of a block that has none of the kind. */
function known(block: JsonObject): JsonObject {
  const type = String(block['type']);
  const members = BLOCKS[type];
  if (members !== undefined) refuseOthers(block, members, `a block of type "${type}"`);
  return block;
}

/** One text is sent as such: there are servers that take no parts. */
function plain(parts: readonly JsonObject[]): unknown {
  const [first] = parts;
  return parts.length === 1 && first?.['type'] === 'text' ? first['text'] : parts;
}

function part({ type, text, source }: JsonObject): JsonObject {
  if (type === 'text') return { type: 'text', text };
  if (type !== 'image') throw untranslatable(`a block of type "${String(type)}"`);
  const { type: kind, media_type: mediaType, data, url } = objectIn(source);
  if (kind === 'url') return { type: 'image_url', image_url: { url } };
  if (kind !== 'base64') throw untranslatable(`an image of type "${String(kind)}"`);
  return {
    type: 'image_url',
    image_url: { url: `data:${String(mediaType)};base64,${String(data)}` },
  };
}

/** What the model thought is left out: it is for the provider that it came from. */
function assistantMessage(blocks: readonly JsonObject[]): JsonObject {
  const texts: unknown[] = [];
  const calls: JsonObject[] = [];
  for (const { type, text, id, name, input } of blocks) {
    if (type === 'text') texts.push(text);
    else if (type === 'tool_use') {
      const called = { name, arguments: JSON.stringify(input ?? {}) };
      calls.push({ id, type: 'function', function: called });
    } else if (type !== 'thinking' && type !== 'redacted_thinking') {
      throw untranslatable(`a block of type "${String(type)}"`);
    }
  }
  return defined({
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join(''),
    tool_calls: calls.length === 0 ? undefined : calls,
  });
}

/** The other protocol has no word for a tool that failed but in its text. */
function toolMessage({ tool_use_id: id, content, is_error: isError }: JsonObject): JsonObject {
  const text = resultText(content);
  return { role: 'tool', tool_call_id: id, content: isError === true ? `Error: ${text}` : text };
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listIn(content)
    .map((block) => {
      const { type, text } = objectIn(block);
      if (type !== 'text') throw untranslatable(`a tool result of type "${String(type)}"`);
      return text;
    })
    .join('\n');
}

function tools(request: JsonObject): Record<string, unknown> {
  const given = listIn(request['tools']);
  if (given.length === 0) return {};
  const choice = objectIn(request['tool_choice']);
  return {
    tools: given.map(tool),
    tool_choice: isObject(request['tool_choice']) ? toolChoice(choice) : undefined,
    parallel_tool_calls: choice['disable_parallel_tool_use'] === true ? false : undefined,
  };
}

function tool(given: unknown): JsonObject {
  const { type, name, description, input_schema: parameters } = objectIn(given);
  if (type !== undefined && type !== null && type !== 'custom') {
    throw untranslatable(`a tool of type "${String(type)}"`);
  }
  refuseOthers(objectIn(given), TOOL, 'a tool');
  return { type: 'function', function: defined({ name, description, parameters }) };
}

function toolChoice({ type, name }: JsonObject): unknown {
  switch (type) {
    case 'auto':
    case 'none':
      return type;
    case 'any':
      return 'required';
    case 'tool':
      return { type: 'function', function: { name } };
    default:
      throw untranslatable('this "tool_choice"');
  }
}
