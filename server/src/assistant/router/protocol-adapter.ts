import { Problem } from '#base/problem.ts';
import type { JsonObject } from './json-members.ts';
import type { StreamMeter, TokenCounts } from './llm-call.ts';

/**
 * A request to a model, independent of any protocol. An adapter translates between its protocol and
 * this form, so a client of any protocol can use a provider of any other. Values that the server
 * passes on unchecked are `unknown`: the provider checks them.
 */
export interface NeutralRequest {
  readonly model: unknown;
  /** Most tokens of the answer; undefined when the client does not say. */
  readonly tokensMax: unknown;
  /** Texts before the conversation. */
  readonly instructions: readonly unknown[];
  readonly turns: readonly NeutralTurn[];
  readonly temperature: unknown;
  readonly topP: unknown;
  /** A list of texts at which the answer stops. */
  readonly stop: unknown;
  /** The client's own name for the user. */
  readonly user: unknown;
  readonly stream: unknown;
  /** Undefined for text. */
  readonly output: NeutralOutput | undefined;
  readonly tools: readonly NeutralTool[];
  /** Undefined when the client does not say. */
  readonly toolChoice: ToolChoice | undefined;
  /** Whether the model may call only one tool at a time. */
  readonly isSerial: boolean;
}

/** The answer has to be JSON that fits a JSON Schema. */
export interface NeutralOutput {
  readonly name: unknown;
  readonly schema: unknown;
  /** Whether the client asks for a guarantee where a protocol has both. */
  readonly isStrict: boolean;
}

export interface NeutralTurn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly NeutralPart[];
}

export type NeutralPart =
  | { readonly kind: 'text'; readonly text: unknown }
  | { readonly kind: 'image'; readonly url: unknown }
  | { readonly kind: 'image-data'; readonly mediaType: unknown; readonly data: unknown }
  | ({ readonly kind: 'call' } & NeutralCall)
  | ToolResult;

/** A call of a tool, made by the model. */
export interface NeutralCall {
  readonly id: unknown;
  readonly name: unknown;
  readonly input: unknown;
}

/** The result of a tool. */
export interface ToolResult {
  readonly kind: 'result';
  readonly callId: unknown;
  readonly content: readonly NeutralPart[];
  readonly isError: boolean;
}

export interface NeutralTool {
  readonly name: unknown;
  readonly description: unknown;
  /** A JSON Schema. */
  readonly input: unknown;
}

export type ToolChoice =
  | { readonly kind: 'auto' | 'none' | 'any' }
  | { readonly kind: 'tool'; readonly name: unknown };

/** Why an answer ended: the model has finished, has reached its limit, calls tools, or refuses. */
export type EndReason = 'done' | 'limit' | 'tools' | 'refused';

export interface NeutralAnswer {
  readonly id: unknown;
  readonly model: unknown;
  readonly texts: readonly string[];
  readonly calls: readonly NeutralCall[];
  readonly end: EndReason;
  readonly counts: TokenCounts | undefined;
}

/** One event of a streamed answer. After a `call`, its arguments follow as pieces of JSON text. */
export type NeutralEvent =
  | { readonly kind: 'start'; readonly id: unknown; readonly model: unknown }
  | { readonly kind: 'text'; readonly text: unknown; readonly isRefusal: boolean }
  | { readonly kind: 'call'; readonly index: number; readonly id: unknown; readonly name: unknown }
  | { readonly kind: 'arguments'; readonly index: number; readonly json: unknown }
  | { readonly kind: 'end'; readonly reason: EndReason };

export interface AnswerReader {
  /**
   * Translates an event of the provider; empty for an event without a meaning here. Throws
   * `llm_misconfigured`.
   */
  read(event: JsonObject): readonly NeutralEvent[];
}

export interface AnswerWriter {
  /** The text of whole events; may be empty. */
  write(event: NeutralEvent): string;
  /** The text after the last event. */
  end(counts: TokenCounts | undefined): string;
}

/** The request to answer, and the time of the answer. */
export interface Answering {
  readonly request: JsonObject;
  /** In milliseconds since the Unix epoch. */
  readonly now: number;
  /** Called with each message of the answer that a client may refer to by its id later. */
  readonly onMessage?: ((id: string, text: string) => void) | undefined;
}

/** What is needed to answer clients of a protocol. */
export interface ClientAdapter {
  /** Throws `llm_request_refused` for anything that the neutral form cannot express. */
  readRequest(request: JsonObject): NeutralRequest;
  writeAnswer(answer: NeutralAnswer, answering: Answering): JsonObject;
  answerWriter(answering: Answering): AnswerWriter;
}

/** Translates between one protocol and the neutral form, for clients and for providers. */
export interface ProtocolAdapter extends ClientAdapter {
  /** The path of requests for answers, after the base URL of the provider. */
  readonly path: string;
  headers(apiKey: string | null, given: Readonly<Record<string, string>>): Record<string, string>;
  /**
   * The request with its limit of answer tokens lowered to `tokensMax`; a streamed answer is
   * counted.
   */
  within(request: JsonObject, tokensMax: number): JsonObject;
  /** Whether the client did not ask for this event, so that it must not get it. */
  isUnasked(request: JsonObject, event: JsonObject): boolean;
  writeRequest(request: NeutralRequest, tokensDefault: number): JsonObject;
  /** Throws `llm_misconfigured` for an invalid answer. */
  readAnswer(answer: JsonObject): NeutralAnswer;
  countsOf(answer: JsonObject): TokenCounts | undefined;
  meter(): StreamMeter;
  answerReader(): AnswerReader;
}

/** Names from clients are cut to this length in messages. */
const NAME_CHARACTERS_MAX = 100;

/**
 * The problem for something that the other protocol cannot express: nothing that changes the answer
 * is left out silently.
 */
export function untranslatable(
  what: string,
  hint = "Leave it out, or use a client with the provider's protocol.",
): Problem {
  return new Problem(
    'llm_request_refused',
    `${what} cannot be sent to this provider, which uses another protocol.`,
    { hint },
  );
}

/**
 * Throws for an unknown member, because it might change the answer. `where` names the object that
 * has the member.
 */
export function refuseOthers(given: JsonObject, known: ReadonlySet<string>, where: string): void {
  for (const [name, value] of Object.entries(given)) {
    if (known.has(name)) continue;
    const isEmpty = Array.isArray(value) && value.length === 0;
    if (value !== undefined && value !== null && value !== false && !isEmpty) {
      throw untranslatable(`"${name.slice(0, NAME_CHARACTERS_MAX)}" of ${where}`);
    }
  }
}
