import type { Caller } from '#access/caller.ts';
import {
  MCP_PROGRESS_INTERVAL_MS,
  MCP_RESULT_CHARACTERS_MAX,
  MCP_TOOLS_PER_PAGE,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { EndpointAnswer } from '#runtime/call-outcome.ts';
import type { BodySchema } from '#runtime/endpoint-inputs.ts';
import type { RunProgress } from '#runtime/pooled-runs.ts';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  CancelledNotificationSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  type ListToolsResult,
  McpError,
  type ProgressToken,
  ReadResourceRequestSchema,
  type ReadResourceResult,
  type ResourceTemplate,
  type ServerNotification,
} from '@modelcontextprotocol/sdk/types.js';
import type { ToolCatalog } from '../tools/tool-catalog.ts';
import type { ErrorText, McpCall, McpNodes, McpParts, RunningCalls } from './mcp-service.ts';

export interface McpServerParts extends McpParts {
  readonly calls: RunningCalls;
}

const INSTRUCTIONS = `\
A workspace of knowledge: nodes of several types, joined by edges. The tools run as one user and show what that user may see. \
Search first, then look at neighbours; cite nodes by their UID. A node is the resource trellis://node/{uid}.`;

/**
 * A protocol server for one message of a caller. `over` aborts when the caller cancels the call in
 * this message.
 */
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

/** Hides errors: the protocol's server would send the text of any error to the client. */
async function guarded<T>({ errorOf }: McpCall, answer: () => T | Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof McpError) throw error;
    const { code, message } = errorOf(error).error;
    throw new McpError(ErrorCode.InternalError, message, { code });
  }
}

/**
 * Never validates: the server sends no requests to clients, so there are no answers to check. The
 * default validator takes a millisecond to create.
 */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('nothing is asked of clients');
  },
};

/**
 * In the `_meta` of a tool: the code of its endpoint contains the name `runOnPrimary`. A call of it
 * is refused when the tool is offered as read-only.
 */
const MAY_RUN_ON_PRIMARY = 'trellis/mayRunOnPrimary';

/**
 * One page of the tools that this caller may call. The cursor is the name of the last tool on the
 * previous page: so the server keeps no state, and an added or removed tool does not move the
 * others.
 */
async function listTools(
  catalog: ToolCatalog,
  caller: Caller,
  cursor: string | undefined,
): Promise<ListToolsResult> {
  if (cursor === '') throw new McpError(ErrorCode.InvalidParams, 'There is no such page');
  const left = catalog.offered(caller).filter(({ name }) => cursor === undefined || name > cursor);
  const page = left.slice(0, MCP_TOOLS_PER_PAGE);
  const tools = await Promise.all(
    page.map(async (tool) => {
      const inputSchema = await catalog.inputSchema(tool);
      if (inputSchema === null) return [];
      const { name, description, isReadOnly, mayRunOnPrimary } = tool;
      const annotations = { readOnlyHint: isReadOnly };
      const outputSchema = structuredSchema(catalog.outputSchema(tool));
      const told = mayRunOnPrimary ? { _meta: { [MAY_RUN_ON_PRIMARY]: true } } : {};
      const answered = outputSchema === undefined ? {} : { outputSchema };
      return [{ name, description, inputSchema, ...answered, annotations, ...told }];
    }),
  );
  const last = page.at(-1);
  const hasMore = last !== undefined && left.length > page.length;
  return { tools: tools.flat(), ...(hasMore ? { nextCursor: last.name } : {}) };
}

const PREFIX = 'trellis://node/';
/** The error code of the protocol, from its section "Resources". */
const RESOURCE_NOT_FOUND = -32_002;

const NODE_TEMPLATE: ResourceTemplate = {
  uriTemplate: `${PREFIX}{uid}`,
  name: 'node',
  title: 'Node',
  description: 'A node with its fields, by its UID.',
  mimeType: 'application/json',
};

/** Reads a node. A node that the caller may not see is answered like one that does not exist. */
function readNode(nodes: McpNodes, caller: Caller, uri: string): ReadResourceResult {
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

/** The header that tells apart several clients of one caller: see `RunningCalls`. */
export const SESSION_HEADER = 'mcp-session-id';

export interface AnswerParts extends McpServerParts {
  readonly newSession: () => string;
}

/**
 * Answers one message with a protocol server of its own. An answer that may take long is a stream
 * of events.
 */
export async function answerMessage(call: McpCall, parts: AnswerParts): Promise<Response> {
  call.signal.throwIfAborted();
  const method = methodOf(call.message);
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: method !== 'tools/call',
  });
  const over = new AbortController();
  const server = createMcpServer(call, parts, over);
  const ended = Promise.withResolvers<never>();
  // The caller of `answer` gets the error. When nobody waits any more, the error is ignored.
  ended.promise.catch(() => {});
  const end = (): void => {
    void server.close();
    ended.reject(call.signal.reason);
  };
  AbortSignal.any([call.signal, over.signal]).addEventListener('abort', end, { once: true });
  await server.connect(transport);
  // The transport reads only the headers of this request; the address does not exist.
  const request = new Request('http://mcp.invalid/', { method: 'POST', headers: call.headers });
  const response = await Promise.race([
    transport.handleRequest(request, { parsedBody: call.message }),
    ended.promise,
  ]);
  if (response.status >= 400) throw await refusalIn(response);
  if (method === 'initialize') response.headers.set(SESSION_HEADER, parts.newSession());
  return response;
}

/**
 * The method of a message. Throws for a batch of messages, which protocol versions since 2025-06-18
 * do not have.
 */
function methodOf(message: unknown): unknown {
  if (!Array.isArray(message)) return Object(message).method;
  throw refusal('must be a single message: batches are not supported');
}

/** The problem for a request that the transport has refused as a whole. */
async function refusalIn(response: Response): Promise<Problem> {
  const { error } = Object(await response.json()) as { readonly error?: { message?: unknown } };
  return refusal(String(error?.message ?? 'is not a message of the protocol'));
}

function refusal(message: string): Problem {
  return new Problem('invalid_request', `body: ${message}`, {
    hint: 'Send one JSON-RPC message of the Model Context Protocol, with "Accept: application/json, text/event-stream".',
    details: { fields: [{ path: '', message }] },
  });
}

/** The protocol request that calls a tool. */
interface ToolRequest {
  readonly parts: McpParts;
  /** Registers the call as running; throws `too_many_requests`. */
  readonly begin: () => Disposable;
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  readonly progressToken: ProgressToken | undefined;
  readonly notify: (notification: ServerNotification) => Promise<void>;
}

/**
 * Runs the endpoint of a tool as the caller. An error of the endpoint becomes a result that the
 * model reads, not an error of the protocol.
 */
async function callTool(
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
    const result = await runs.call(tool, given, as, resultOf);
    const { structuredContent, ...unstructured } = result;
    const isOther = result.isError === true && structuredContent?.['error'] === undefined;
    // An error of the endpoint's own making has no shape that was told.
    return isOther && catalog.outputSchema(tool) !== null ? unstructured : result;
  } catch (error) {
    // The client has gone, or has cancelled the call.
    if (request.signal.aborted) throw error;
    return errorResult(call.errorOf(error));
  }
}

/** Has a listener only when the client has asked for progress. */
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
      // The run continues even when nobody listens.
      notify({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
}

/**
 * The answer of an endpoint in two forms: text for a model, and an object for a program. A value
 * that is not an object becomes the member `result` of one. Throws `endpoint_failed` when the
 * answer is too large for any model.
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

interface ObjectSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

/**
 * The JSON Schema of what `resultOf` makes an object of; undefined where an answer may be an object
 * or something else. Clients hold every result against it, errors too.
 */
function structuredSchema(output: BodySchema | null): ObjectSchema | undefined {
  if (output === null) return undefined;
  const { $defs, ...value } = output;
  const isObject = isObjectIn(output, Object($defs) as Readonly<Record<string, BodySchema>>);
  if (isObject === undefined) return undefined;
  const shared = $defs === undefined ? {} : { $defs };
  const result = isObject ? value : { properties: { result: value }, required: ['result'] };
  return { ...shared, ...orError(result), type: 'object' };
}

const ERROR: BodySchema = { properties: { error: { type: 'object' } }, required: ['error'] };

/** Members stay where programs look for them first, if an error has none of their names. */
function orError(result: BodySchema): BodySchema {
  const { required = [], ...told } = result;
  const { properties, additionalProperties, $ref, anyOf } = told;
  const isPlain = additionalProperties === undefined && $ref === undefined && anyOf === undefined;
  return isPlain && properties !== undefined && !Object.hasOwn(Object(properties), 'error')
    ? { ...told, anyOf: [{ required }, { required: ['error'] }] }
    : { anyOf: [result, ERROR] };
}

/** Whether such values are objects; undefined when some of them are. */
function isObjectIn(
  { $ref, anyOf, type, const: only, enum: values }: BodySchema,
  definitions: Readonly<Record<string, BodySchema>>,
): boolean | undefined {
  if (typeof $ref === 'string') {
    const { $ref: _next, ...target } = definitions[$ref.split('/').at(-1) ?? ''] ?? {};
    return isObjectIn(target, definitions);
  }
  if (Array.isArray(anyOf)) {
    const found = new Set(anyOf.map((one: BodySchema) => isObjectIn(one, definitions)));
    return found.size === 1 ? [...found][0] : undefined;
  }
  if (typeof type === 'string') return type === 'object';
  return only !== undefined || values !== undefined ? false : undefined;
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
 * The value must rise with every notice (MCP, "Progress"). It rises by this much when the run gives
 * no fraction, or the same one as before.
 */
const SMALLEST_STEP = 1e-6;

/** Turns the progress of a run into notices, and leaves out those that come too fast. */
export class ProgressNotices {
  readonly #now: () => number;
  #sentMs = -Infinity;
  #last = 0;
  #hasShare = false;

  /** `now` gives milliseconds; only differences between two values count. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Undefined when the last notice was sent too recently. */
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
