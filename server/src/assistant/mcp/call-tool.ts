import {
  ErrorCode,
  McpError,
  type CallToolRequest,
  type CallToolResult,
  type ProgressToken,
  type ServerNotification,
} from '@modelcontextprotocol/sdk/types.js';
import type { RunProgress } from '#runtime/run-progress.ts';
import type { McpCall, McpParts } from './mcp-service.ts';
import { ProgressNotices } from './progress-notices.ts';
import { errorResult, resultOf } from './tool-result.ts';

/** The request of the protocol that a call of a tool is. */
export interface ToolRequest {
  readonly parts: McpParts;
  /** Notes that it is under way; throws `too_many_requests`. */
  readonly begin: () => Disposable;
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  readonly progressToken: ProgressToken | undefined;
  readonly notify: (notification: ServerNotification) => Promise<void>;
}

/** Runs the endpoint behind a tool as the caller. What goes wrong there is a result for the model to read, and no error of the protocol. */
export async function callTool(
  { name, arguments: given = {} }: CallToolRequest['params'],
  call: McpCall,
  request: ToolRequest,
): Promise<CallToolResult> {
  const { catalog, runs } = request.parts;
  const tool = catalog.find(call.caller, name);
  if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
  const { caller, endpointHeaders: headers, authorization } = call;
  const as = { caller, headers, authorization, signal: request.signal, ...listenerOf(request) };
  try {
    using _underWay = request.begin();
    return await runs.call(tool, given, as, resultOf);
  } catch (error) {
    // The client has gone, or takes no answer any more.
    if (request.signal.aborted) throw error;
    return errorResult(call.errorOf(error));
  }
}

/** Only where the client has asked for it. */
function listenerOf({ parts: { now }, progressToken, notify }: ToolRequest): {
  onProgress?: (progress: RunProgress) => void;
} {
  if (progressToken === undefined) return {};
  const notices = new ProgressNotices(now);
  return {
    onProgress(progress) {
      const notice = notices.next(progress);
      if (notice === undefined) return;
      const params = { ...notice, progressToken };
      // The run goes on, whoever listens.
      notify({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
}
