import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpCall, McpParts } from './mcp-service.ts';
import { NODE_TEMPLATE, readNode } from './node-resources.ts';
import type { RunningCalls } from './running-calls.ts';
import { callTool } from './call-tool.ts';
import { listTools } from './list-tools.ts';

export interface McpServerParts extends McpParts {
  readonly calls: RunningCalls;
}

const INSTRUCTIONS = `\
A workspace of knowledge: nodes of several types, joined by edges. The tools run as one user and show what that user may see. \
Search first, then look at neighbours; cite nodes by their UID. A node is the resource trellis://node/{uid}.`;

/** The protocol's server for one message of a caller. `over` aborts when the caller cancels the call that the message is. */
export function createMcpServer(
  call: McpCall,
  parts: McpServerParts,
  over: AbortController,
): Server {
  const server = new Server(
    { name: 'trellis', title: 'Trellis', version: parts.version },
    {
      capabilities: { tools: {}, resources: {} },
      instructions: INSTRUCTIONS,
      jsonSchemaValidator: NO_VALIDATOR,
    },
  );
  const session = call.headers.get('mcp-session-id');
  const named = (id: string | number) => ({ caller: call.caller, session, id });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    guarded(call, () => listTools(parts.catalog, call.caller, params?.cursor)),
  );
  server.setRequestHandler(CallToolRequestSchema, (request, extra) =>
    callTool(request.params, call, {
      parts,
      begin: () => parts.calls.begin(named(extra.requestId), over),
      signal: extra.signal,
      progressToken: extra._meta?.progressToken,
      notify: extra.sendNotification,
    }),
  );
  server.setNotificationHandler(CancelledNotificationSchema, ({ params }) => {
    if (params.requestId !== undefined) parts.calls.cancel(named(params.requestId));
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [NODE_TEMPLATE],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
    guarded(call, () => readNode(parts.nodes, call.caller, params.uri)),
  );
  return server;
}

/** The protocol's server would tell a client what is written in any error. */
async function guarded<T>({ errorOf }: McpCall, answer: () => T | Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof McpError) throw error;
    const { code, message } = errorOf(error).error;
    throw new McpError(ErrorCode.InternalError, message, { code });
  }
}

/** Nothing is asked of clients, so that no answer of theirs is checked; the usual one takes a millisecond to make. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('nothing is asked of clients');
  },
};
