import type { Caller } from '#access/caller.ts';
import type { ErrorBody } from '@trellis/contract/errors.ts';

/** The Model Context Protocol (open-shapes, section 7). */
export interface McpService {
  /** What is to be sent, whose body may go on while a tool runs. Throws `invalid_request`, or the signal's reason. */
  answer(call: McpCall): Promise<Response>;
}

export interface McpCall {
  readonly caller: Caller;
  /** Parsed JSON, not checked. */
  readonly message: unknown;
  readonly headers: Headers;
  /** Of the request, as JSON text of an object: lower case, without those that carry credentials. */
  readonly endpointHeaders: string;
  /** The header that has proved who calls. */
  readonly authorization: string | undefined;
  /** Aborts when the client has gone, or the server stops. */
  readonly signal: AbortSignal;
  /** The error body for what went wrong beneath an answer that is good by itself. */
  readonly errorOf: (error: unknown) => ErrorBody;
}
