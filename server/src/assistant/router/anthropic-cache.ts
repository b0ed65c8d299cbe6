import { isObject } from '#base/assert.ts';
import { type JsonObject, listIn, objectIn } from './json-members.ts';

const MARK = { cache_control: { type: 'ephemeral' } };

/**
 * A request of a run with tools in Anthropic's protocol, which keeps what it has read only up to
 * the places that are marked: after the tools and instructions, and after the last message. The
 * next step of the run has the same beginning, so it pays a tenth for it. A request without tools
 * stays as it is: there is no next step.
 */
export function withCacheMarks(request: JsonObject): JsonObject {
  if (listIn(request['tools']).length === 0) return request;
  const messages = listIn(request['messages']);
  const last = objectIn(messages.at(-1));
  return {
    ...request,
    ...(request['system'] === undefined ? {} : { system: marked(request['system']) }),
    messages: [...messages.slice(0, -1), { ...last, content: marked(last['content']) }],
  };
}

/** A text, or a list of blocks, whose last one is marked. */
function marked(content: unknown): unknown {
  if (typeof content === 'string') return [{ type: 'text', text: content, ...MARK }];
  const blocks = listIn(content);
  const last = blocks.at(-1);
  return isObject(last) ? [...blocks.slice(0, -1), { ...last, ...MARK }] : content;
}
