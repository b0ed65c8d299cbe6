import { Problem } from '#base/problem.ts';
import type { JsonObject } from './json-members.ts';
import type { StreamMeter, TokenCounts } from './llm-call.ts';

/**
 * A request to a model in no protocol. An adapter reads what its protocol has into this form and
 * writes this form as its protocol has it, so any two protocols can be put together. A value that
 * nobody has to understand on the way is `unknown`: the provider checks it.
 */
export interface NeutralRequest {
  readonly model: unknown;
  /** Tokens of the answer; undefined when the client leaves it to the server. */
  readonly tokensMax: unknown;
  /** Texts that stand before the conversation. */
  readonly instructions: readonly unknown[];
  readonly turns: readonly NeutralTurn[];
  readonly temperature: unknown;
  readonly topP: unknown;
  /** A list of texts. */
  readonly stop: unknown;
  /** Whom the request is for, in the client's own words. */
  readonly user: unknown;
  readonly stream: unknown;
  readonly tools: readonly NeutralTool[];
  /** Undefined when nothing is said of it. */
  readonly toolChoice: ToolChoice | undefined;
  /** Whether the model may call one tool at a time only. */
  readonly isSerial: boolean;
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

/** A call of a tool by the model. */
export interface NeutralCall {
  readonly id: unknown;
  readonly name: unknown;
  readonly input: unknown;
}

/** What a tool answered. */
export interface ToolResult {
  readonly kind: 'result';
  readonly callId: unknown;
  readonly content: readonly NeutralPart[];
  readonly isError: boolean;
}

export interface NeutralTool {
  readonly name: unknown;
  readonly description: unknown;
  /** JSON Schema. */
  readonly input: unknown;
}

export type ToolChoice =
  | { readonly kind: 'auto' | 'none' | 'any' }
  | { readonly kind: 'tool'; readonly name: unknown };

/** Why an answer ended: the model was done, at its limit, calls tools, or refuses. */
export type EndReason = 'done' | 'limit' | 'tools' | 'refused';

export interface NeutralAnswer {
  readonly id: unknown;
  readonly model: unknown;
  readonly texts: readonly string[];
  readonly calls: readonly NeutralCall[];
  readonly end: EndReason;
  readonly counts: TokenCounts | undefined;
}

/**
 * One step of an answer that is streamed. Arguments of a call follow its `call`, as pieces of JSON
 * text.
 */
export type NeutralEvent =
  | { readonly kind: 'start'; readonly id: unknown; readonly model: unknown }
  | { readonly kind: 'text'; readonly text: unknown; readonly isRefusal: boolean }
  | { readonly kind: 'call'; readonly index: number; readonly id: unknown; readonly name: unknown }
  | { readonly kind: 'arguments'; readonly index: number; readonly json: unknown }
  | { readonly kind: 'end'; readonly reason: EndReason };

export interface AnswerReader {
  /**
   * What an event of the provider says; nothing for one that nobody needs. Throws
   * `llm_misconfigured`.
   */
  read(event: JsonObject): readonly NeutralEvent[];
}

export interface AnswerWriter {
  /** Text of whole events, or none. */
  write(event: NeutralEvent): string;
  /** The text after the last event. */
  end(counts: TokenCounts | undefined): string;
}

/** How a client is answered. */
export interface Answering {
  readonly request: JsonObject;
  /** In milliseconds since the Unix epoch. */
  readonly now: number;
}

/** One protocol, from JSON to the neutral form and back. */
export interface ProtocolAdapter {
  /** Where requests for answers go, after the provider's address. */
  readonly path: string;
  headers(apiKey: string | null, given: Readonly<Record<string, string>>): Record<string, string>;
  /** The request with at most so many tokens for the answer, and counted when it is streamed. */
  within(request: JsonObject, tokensMax: number): JsonObject;
  /** Whether a client of this protocol has not asked for that event of a stream. */
  isUnasked(request: JsonObject, event: JsonObject): boolean;
  /** Throws `llm_request_refused` for what the neutral form has no words for. */
  readRequest(request: JsonObject): NeutralRequest;
  writeRequest(request: NeutralRequest, tokensDefault: number): JsonObject;
  /** Throws `llm_misconfigured` for an answer that makes no sense. */
  readAnswer(answer: JsonObject): NeutralAnswer;
  writeAnswer(answer: NeutralAnswer, now: number): JsonObject;
  countsOf(answer: JsonObject): TokenCounts | undefined;
  meter(): StreamMeter;
  answerReader(): AnswerReader;
  answerWriter(answering: Answering): AnswerWriter;
}

/** Names that somebody made up are cut in messages. */
const NAME_CHARACTERS_MAX = 100;

/**
 * For a request that the other protocol has no words for: nothing that changes the answer is left
 * out silently.
 */
export function untranslatable(what: string): Problem {
  return new Problem(
    'llm_request_refused',
    `${what} cannot be asked of this provider, which speaks another protocol.`,
    { hint: "Leave it out, or use a client of the provider's own protocol." },
  );
}

/**
 * Throws for a member that is not known: it might change the answer. `where` says what it is a
 * member of.
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
