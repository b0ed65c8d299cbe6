import {
  LLM_FILE_TOKENS_MAX,
  LLM_PICTURE_TOKENS_MAX,
  LLM_TOOLS_TOKENS_MAX,
} from '#base/assistant-limits.ts';
import { isObject } from '#base/assert.ts';
import type { JsonObject } from './json-members.ts';

/**
 * The most input tokens that a request in OpenAI's or Anthropic's protocol can have:
 *
 *     inputTokensMax({ messages: [{ role: 'user', content: 'Hi' }] }) // 45
 *
 * A token of a text has a byte or more, whichever the tokenizer, and what a provider puts around
 * each message is shorter than the JSON around it. Pictures and files have no such bound by bytes,
 * so each counts with the most that providers take for one.
 */
export function inputTokensMax(request: JsonObject): number {
  const parts = partsOf(request['messages']);
  const pictures = parts.filter(({ type }) => type === 'image' || type === 'image_url');
  const files = parts.filter(({ type }) => FILE_TYPES.has(type));
  const ofPictures = pictures.reduce((sum, part) => sum + inlineBytes(part), 0);
  return (
    Buffer.byteLength(JSON.stringify(request)) -
    ofPictures +
    (request['tools'] === undefined ? 0 : LLM_TOOLS_TOKENS_MAX) +
    pictures.length * LLM_PICTURE_TOKENS_MAX +
    files.length * LLM_FILE_TOKENS_MAX
  );
}

const FILE_TYPES: ReadonlySet<unknown> = new Set([
  'document',
  'file',
  'input_audio',
  'container_upload',
]);

/** The parts of messages, and of results of tools in them. */
function partsOf(messages: unknown): readonly JsonObject[] {
  const parts = objectsIn(messages).flatMap(({ content }) => objectsIn(content));
  const ofResults = parts
    .filter(({ type }) => type === 'tool_result')
    .flatMap(({ content }) => objectsIn(content));
  return [...parts, ...ofResults];
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The bytes of a picture in the request itself, which is not read as a text. */
function inlineBytes({ source, image_url: link }: JsonObject): number {
  const data = isObject(source) && source['type'] === 'base64' ? source['data'] : undefined;
  const url = isObject(link) ? link['url'] : undefined;
  const inline = data ?? (typeof url === 'string' && url.startsWith('data:image/') ? url : '');
  return typeof inline === 'string' ? Buffer.byteLength(inline) : 0;
}
