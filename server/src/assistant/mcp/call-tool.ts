import {
  type CallToolRequest,
  type CallToolResult,
  ErrorCode,
  McpError,
  type ProgressToken,
  type ServerNotification,
} from '@modelcontextprotocol/sdk/types.js';
import type { RunProgress } from '#runtime/run-progress.ts';
import type { ErrorText, McpCall, McpParts } from './mcp-service.ts';
import { MCP_PROGRESS_INTERVAL_MS, MCP_RESULT_CHARACTERS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { EndpointAnswer } from '#runtime/call-outcome.ts';

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

/**
 * Runs the endpoint of a tool as the caller. What goes wrong there is a result for the model to
 * read, and no error of the protocol.
 */
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
      // The run goes on, also when nobody listens.
      notify({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
}

/**
 * What an endpoint answers, as a model reads it and as a program does: text, and the same as an
 * object. What is no object is the member `result` of one. Throws `endpoint_failed` for what is too
 * large for any model.
 */
function resultOf({ status, headers, body }: EndpointAnswer): CallToolResult {
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

function errorResult({ error }: ErrorText): CallToolResult {
  const hint = error.hint === undefined ? '' : `\n${error.hint}`;
  return {
    content: [{ type: 'text', text: `${error.code}: ${error.message}${hint}` }],
    structuredContent: { error: { ...error } },
    isError: true,
  };
}

/** The parameters of `notifications/progress`, without the client's token. */
interface ProgressNotice {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/**
 * A value rises with every notice (MCP, "Progress"): by this much where the run gives no share, or
 * the same as before.
 */
const SMALLEST_STEP = 1e-6;

/** Makes notices of what a run says of itself, and no more of them than anybody reads. */
export class ProgressNotices {
  readonly #now: () => number;
  #sentMs = -Infinity;
  #last = 0;
  #hasShare = false;

  /** `now` in milliseconds, from any beginning. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Undefined when it is too early for another one. */
  next({ fraction, text }: RunProgress): ProgressNotice | undefined {
    const nowMs = this.#now();
    if (nowMs - this.#sentMs < MCP_PROGRESS_INTERVAL_MS) return undefined;
    this.#sentMs = nowMs;
    this.#hasShare ||= fraction !== null;
    this.#last = Math.max(fraction ?? 0, this.#last + SMALLEST_STEP);
    return {
      progress: this.#last,
      ...(this.#hasShare ? { total: 1 } : {}),
      ...(text === null ? {} : { message: text }),
    };
  }
}
