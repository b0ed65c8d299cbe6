import { randomUUID } from 'node:crypto';
import type { Caller } from '#access/caller.ts';
import type { NodeObject } from '#graph/reader.ts';
import type { ToolCatalog } from '../tools/tool-catalog.ts';
import type { ToolRuns } from '../tools/tool-runs.ts';
import { RunningCalls } from './running-calls.ts';

/** What the protocol is spoken over. */
export interface McpParts {
  readonly catalog: ToolCatalog;
  readonly runs: ToolRuns;
  readonly nodes: McpNodes;
  /** Of this server. */
  readonly version: string;
  /** In milliseconds, from any beginning. */
  readonly now: () => number;
}

export interface McpNodes {
  /** Throws `node_not_found`, for what the caller may not see as well. */
  get(caller: Caller, uid: string): NodeObject;
}

/** One message of a client, and who sends it. */
export interface McpCall {
  readonly caller: Caller;
  /** Parsed JSON, not checked. */
  readonly message: unknown;
  /** Of the request. */
  readonly headers: Headers;
  /** Those that the code of endpoints may see, as JSON text of an object. */
  readonly endpointHeaders: string;
  /** The header that has proved who calls. */
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
 * The Model Context Protocol, streamable HTTP (open-shapes, section 7). Each message is answered by itself: nothing is kept of a
 * session, so that any server of a cluster answers any message.
 */
export class McpService {
  readonly #parts: McpParts;
  readonly #calls = new RunningCalls();
  readonly #newSession: () => string;

  constructor(parts: McpParts, newSession: () => string = randomUUID) {
    this.#parts = parts;
    this.#newSession = newSession;
  }

  /**
   * What is to be sent: its body goes on while a tool runs. Rejects with `invalid_request` for what is no message, and with the
   * signal's reason.
   */
  async answer(call: McpCall): Promise<Response> {
    // The protocol's types take longer to load than the rest of the server: only those wait for it who speak it.
    const { answerMessage } = await import('./answer-message.ts');
    return answerMessage(call, {
      ...this.#parts,
      calls: this.#calls,
      newSession: this.#newSession,
    });
  }
}
