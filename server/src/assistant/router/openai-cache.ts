import { createHash } from 'node:crypto';
import { type JsonObject, listIn, objectIn } from './json-members.ts';

/**
 * A request of a run with tools in OpenAI's protocol. OpenAI keeps what it has read by itself, but
 * spreads requests over machines that know nothing of each other; those with one key go to the same
 * one. So all steps of a run have the key of its beginning: its tools, instructions and first
 * message, of which nothing can be read out of the digest. A request without tools stays as it is:
 * there is no next step.
 *
 * Only OpenAI itself gets it. Servers that speak its protocol decide for themselves what they do
 * with members that they do not know, and several refuse the request.
 */
export function withCacheKey(request: JsonObject, baseUrl: string): JsonObject {
  const tools = listIn(request['tools']);
  if (tools.length === 0 || !isOpenAi(baseUrl)) return request;
  const messages = listIn(request['messages']);
  const first = messages.findIndex((one) => objectIn(one)['role'] === 'user');
  const beginning = JSON.stringify([request['model'], tools, messages.slice(0, first + 1)]);
  const digest = createHash('sha256').update(beginning).digest('base64url');
  return { ...request, prompt_cache_key: digest };
}

function isOpenAi(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === 'api.openai.com' || hostname.endsWith('.api.openai.com');
}
