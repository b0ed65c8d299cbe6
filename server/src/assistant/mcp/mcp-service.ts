import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { randomUUID } from 'node:crypto';
import type { Caller } from '#access/caller.ts';
import type { OfferedTool, ToolCatalog } from '../tools/tool-catalog.ts';
import type { ToolRuns } from '../tools/tool-runs.ts';
import { MCP_CALLS_PER_CALLER_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { callerKey } from '#runtime/cached-runs.ts';

/** The services that the protocol uses. */
export interface McpParts {
  readonly catalog: ToolCatalog;
  readonly runs: ToolRuns;
  readonly nodes: McpNodes;
  /** Version of this server. */
  readonly version: string;
  /** In milliseconds; only differences between two values count. */
  readonly now: () => number;
}

export interface McpNodes {
  /** Throws `node_not_found`, also for a node that the caller may not see. */
  get(caller: Caller, uid: string): NodeObject;
}

/** One message of a client, and its sender. */
export interface McpCall {
  readonly caller: Caller;
  /** Parsed JSON, not checked. */
  readonly message: unknown;
  /** Headers of the request. */
  readonly headers: Headers;
  /** The headers that endpoint code may see, as JSON text of an object. */
  readonly endpointHeaders: string;
  /** The `Authorization` header of the caller. */
  readonly authorization: string | undefined;
  /** Aborts when the client has gone, or the server stops. */
  readonly signal: AbortSignal;
  /** What the caller may be told of an error, which is logged. */
  readonly errorOf: (error: unknown) => ErrorText;
}

/** The error body of this service (open-shapes, section 2). */
export interface ErrorText {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint?: string | undefined;
  };
}

/**
 * The Model Context Protocol over streamable HTTP (open-shapes, section 7). Each message is
 * answered independently: the server keeps no session, so any server of a cluster can answer any
 * message.
 */
export class McpService {
  readonly #parts: McpParts;
  readonly #calls = new RunningCalls();
  readonly #newSession: () => string;

  constructor(parts: McpParts, newSession: () => string = randomUUID) {
    this.#parts = parts;
    this.#newSession = newSession;
  }

  /** The tools that a client could call as this user. */
  tools(caller: Caller): OfferedTool[] {
    return this.#parts.catalog.offered(caller);
  }

  /**
   * The response to send. Its body continues while a tool runs. Rejects with `invalid_request` for
   * an invalid message, and with the reason of the signal.
   */
  async answer(call: McpCall): Promise<Response> {
    // The types of the protocol take longer to load than the rest of the server, so they are loaded
    // with the first message.
    const { answerMessage } = await import('./mcp-server.ts');
    return answerMessage(call, {
      ...this.#parts,
      calls: this.#calls,
      newSession: this.#newSession,
    });
  }
}

/** Identifies one request of one client. Clients choose the ids themselves, starting at 0. */
interface RequestName {
  readonly caller: Caller;
  /**
   * `Mcp-Session-Id`; null when the client sends none: it can then only cancel by disconnecting.
   */
  readonly session: string | null;
  readonly id: string | number;
}

/**
 * The running calls of tools, so that a notice in another request can find the call that it
 * cancels. A session is only a name that tells clients apart, and nothing else is stored for it:
 * any server accepts any session.
 */
export class RunningCalls {
  readonly #byName = new Map<string, AbortController>();
  readonly #countByCaller = new Map<string, number>();

  /** Registers a call until the result is disposed. Throws `too_many_requests`. */
  begin(request: RequestName, controller: AbortController): Disposable {
    const caller = callerKey(request.caller);
    const count = this.#countByCaller.get(caller) ?? 0;
    if (count >= MCP_CALLS_PER_CALLER_MAX) {
      throw new Problem('too_many_requests', `${count} calls of tools are under way already.`, {
        hint: 'Wait for one of them to end.',
      });
    }
    const name = nameOf(request);
    this.#countByCaller.set(caller, count + 1);
    if (name !== undefined) this.#byName.set(name, controller);
    return {
      [Symbol.dispose]: () => {
        const left = (this.#countByCaller.get(caller) ?? 1) - 1;
        if (left === 0) this.#countByCaller.delete(caller);
        else this.#countByCaller.set(caller, left);
        if (name !== undefined && this.#byName.get(name) === controller) this.#byName.delete(name);
      },
    };
  }

  /** Cancels a call. Unknown and finished calls are ignored (MCP 2025-11-25, "Cancellation"). */
  cancel(request: RequestName): void {
    const name = nameOf(request);
    if (name !== undefined) this.#byName.get(name)?.abort();
  }
}

function nameOf({ caller, session, id }: RequestName): string | undefined {
  return session === null ? undefined : JSON.stringify([callerKey(caller), session, id]);
}
