import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { MCP_RESULT_CHARACTERS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { EndpointAnswer } from '#runtime/call-outcome.ts';
import type { ErrorText } from './mcp-service.ts';

/**
 * What an endpoint answers, as a model reads it and as a program does: text, and the same as an object. What is no object is the
 * member `result` of one. Throws `endpoint_failed` for what is too large for any model.
 */
export function resultOf({ status, headers, body }: EndpointAnswer): CallToolResult {
  const text = body ?? JSON.stringify({ location: headers?.['location'] ?? null });
  if (text.length > MCP_RESULT_CHARACTERS_MAX) {
    throw new Problem('endpoint_failed', `The result has ${text.length} characters`, {
      hint: `Ask for less: a result has at most ${MCP_RESULT_CHARACTERS_MAX} characters.`,
    });
  }
  const value: unknown = JSON.parse(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return {
    content: [{ type: 'text', text }],
    structuredContent: isObject ? { ...value } : { result: value },
    ...(status >= 400 ? { isError: true } : {}),
  };
}

export function errorResult({ error }: ErrorText): CallToolResult {
  const hint = error.hint === undefined ? '' : `\n${error.hint}`;
  return {
    content: [{ type: 'text', text: `${error.code}: ${error.message}${hint}` }],
    structuredContent: { error: { ...error } },
    isError: true,
  };
}
