import {
  McpError,
  type ReadResourceResult,
  type ResourceTemplate,
} from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import type { McpNodes } from './mcp-service.ts';

const PREFIX = 'trellis://node/';
/** Of the protocol, section "Resources". */
const RESOURCE_NOT_FOUND = -32_002;

export const NODE_TEMPLATE: ResourceTemplate = {
  uriTemplate: `${PREFIX}{uid}`,
  name: 'node',
  title: 'Node',
  description: 'A node with its fields, by its UID.',
  mimeType: 'application/json',
};

/** What the caller may not see is answered as what there is not. */
export function readNode(nodes: McpNodes, caller: Caller, uri: string): ReadResourceResult {
  try {
    if (!uri.startsWith(PREFIX)) throw notFound(uri);
    const node = nodes.get(caller, uri.slice(PREFIX.length));
    return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(node) }] };
  } catch (error) {
    if (error instanceof Problem && error.code === 'node_not_found') throw notFound(uri);
    throw error;
  }
}

function notFound(uri: string): McpError {
  return new McpError(RESOURCE_NOT_FOUND, 'Resource not found', { uri });
}
