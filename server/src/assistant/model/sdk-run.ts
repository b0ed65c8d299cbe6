import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  jsonSchema,
  streamText,
  tool,
  ToolChoiceViolationError,
  type LanguageModel,
  type ModelMessage,
  type ToolSet,
} from 'ai';
import { must } from '#base/assert.ts';
import { MODEL_TOOLS_AT_A_TIME } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import { protocolOf, type ChatTarget } from '../provider-settings.ts';
import type { JsonObject } from '../router/json-members.ts';
import { misconfigured } from '../router/provider-problem.ts';
import type { ModelLimits, ModelOutcome, ModelRequest } from './model-run.ts';
import { ProviderFetch } from './provider-fetch.ts';
import type { ModelRunnerParts } from './sdk-model-runner.ts';
import { ToolCalls, type ToolAnswer } from './tool-calls.ts';

// Without this the SDK writes warnings to the standard output.
globalThis.AI_SDK_LOG_WARNINGS = false;

/**
 * One run. The SDK keeps the conversation and calls the tools; this server decides what is sent,
 * limited and reported.
 */
export async function runModel(
  request: ModelRequest,
  parts: ModelRunnerParts,
): Promise<ModelOutcome> {
  const { caller, feature, limits } = request;
  const { target, model } = askedModel(request, parts.admission);
  parts.running.check(caller);
  using rights = parts.running.watch(caller);
  const late = AbortSignal.timeout(limits.timeoutMs);
  const over = new AbortController();
  const signal = AbortSignal.any([request.signal, rights.signal, late, over.signal]);
  const answerTokensMax = Math.min(target.tokensPerAnswer, limits.answerTokensMax ?? Infinity);
  const provider = new ProviderFetch(
    { caller, feature, target, model, answerTokensMax, signal },
    parts,
  );
  const run = new Run(request, { ...parts, target, model, provider, signal });
  // Ends everything that nobody waits for any more.
  const end = async (): Promise<void> => {
    over.abort();
    await provider.close();
  };
  try {
    return await run.outcome(languageModel(target, model, provider), answerTokensMax);
  } catch (thrown) {
    // Read before `end()`, which causes an error of its own when a request is running.
    const error = provider.fault ?? thrown;
    await end();
    request.signal.throwIfAborted();
    rights.signal.throwIfAborted();
    if (late.aborted) throw tooLate(limits);
    if (error instanceof Problem && error.code !== 'llm_request_refused') throw error;
    if (error instanceof Problem) throw parts.streams.failed(notTheirs(error), target.baseUrl);
    throw parts.streams.failed(
      misconfigured('answers in something else than its protocol.', error),
      target.baseUrl,
    );
  } finally {
    await end();
  }
}

function askedModel(
  { caller, provider, model: asked }: ModelRequest,
  admission: ModelRunnerParts['admission'],
): { readonly target: ChatTarget; readonly model: string } {
  if (provider !== undefined && asked !== undefined) {
    const target = { ...admission.namedTarget(provider, asked), models: [asked] };
    admission.check(caller, asked, target.models);
    return { target, model: asked };
  }
  const target = admission.chatTarget(asked);
  const model = asked ?? must(target.models[0], 'a model of the provider');
  admission.check(caller, model, target.models);
  return { target, model };
}

/**
 * Takes keys and addresses from `provider`. They are set here so that the SDK does not look for
 * them in the environment.
 */
function languageModel(target: ChatTarget, model: string, { fetch }: ProviderFetch): LanguageModel {
  const options = { baseURL: target.baseUrl, apiKey: 'none', fetch, name: 'provider' };
  return protocolOf(target) === 'anthropic'
    ? createAnthropic(options)(model)
    : createOpenAICompatible(options)(model);
}

interface RunParts extends ModelRunnerParts {
  readonly target: ChatTarget;
  readonly model: string;
  readonly provider: ProviderFetch;
  readonly signal: AbortSignal;
}

class Run {
  readonly #request: ModelRequest;
  readonly #parts: RunParts;
  readonly #calls: ToolCalls;
  #text = '';
  /** Why this is the last time that the model is asked; undefined when it is not the last time. */
  #last: 'steps' | 'tool-calls' | 'tokens' | undefined;
  /** The tokens that were used before the last answer. */
  #usedBefore = 0;

  constructor(request: ModelRequest, parts: RunParts) {
    this.#request = request;
    this.#parts = parts;
    const onEvent = request.onEvent ?? (() => {});
    const check = (): void => parts.running.check(request.caller);
    this.#calls = new ToolCalls({ ...parts, limits: request.limits, onEvent, check });
  }

  async outcome(model: LanguageModel, maxOutputTokens: number): Promise<ModelOutcome> {
    const { instructions, messages } = this.#request;
    const { signal, provider, target } = this.#parts;
    const result = streamText({
      model,
      instructions,
      messages: messages.map(({ role, text }) => ({ role, content: text })),
      tools: this.#tools(),
      toolCallConcurrency: MODEL_TOOLS_AT_A_TIME,
      prepareStep: ({ stepNumber, messages: said }) => ({
        ...this.#stepSettings(stepNumber),
        messages: said.map((message) => this.#inOwnWords(message)),
      }),
      stopWhen: () => this.#last !== undefined || this.#isOver(),
      maxRetries: 0,
      abortSignal: signal,
      // The error is thrown below, and not written to the standard output.
      onError: () => {},
      // For OpenAI, `ProviderFetch` sets this limit, under a newer name than the SDK uses.
      ...(protocolOf(target) === 'anthropic' ? { maxOutputTokens } : {}),
      // With it, Anthropic streams arguments that may not be valid JSON.
      providerOptions: { anthropic: { toolStreaming: false } },
    });
    let reason = '';
    let isToBeSeparated = false;
    let hasCalls = false;
    for await (const part of result.stream) {
      if (part.type === 'error') {
        if (this.#last !== undefined && ToolChoiceViolationError.isInstance(part.error)) break;
        throw part.error;
      }
      if (part.type === 'text-delta') {
        this.#say(isToBeSeparated ? `\n\n${part.text}` : part.text);
        isToBeSeparated = false;
      }
      if (part.type === 'start-step') hasCalls = false;
      if (part.type === 'tool-call') hasCalls = true;
      if (part.type === 'tool-call' && part.invalid === true) {
        this.#calls.refused(part.toolCallId, part.toolName, part.input, refusalOf(part.error));
      }
      if (part.type === 'finish-step') {
        reason = part.finishReason;
        isToBeSeparated = this.#text !== '';
      }
    }
    signal.throwIfAborted();
    if (provider.fault !== undefined) throw provider.fault;
    return {
      text: this.#text,
      toolCalls: this.#calls.ended,
      usage: provider.usage,
      model: this.#parts.model,
      ended: this.#endOf(reason, hasCalls),
    };
  }

  #say(text: string): void {
    if (text === '') return;
    this.#text += text;
    this.#request.onEvent?.({ kind: 'text', text });
  }

  #tools(): ToolSet {
    const tools = this.#request.tools.map((one) => {
      const { name, description, inputSchema } = one;
      const set = tool<JsonObject, ToolAnswer, Record<string, unknown>>({
        description,
        inputSchema: jsonSchema<JsonObject>(inputSchema),
        execute: (input, { toolCallId }) => this.#calls.call(one, toolCallId, input),
        toModelOutput: ({ output: { text, isError } }) => ({
          type: isError ? 'error-text' : 'text',
          value: text,
        }),
      });
      return [name, set] as const;
    });
    return Object.fromEntries(tools);
  }

  /**
   * With Anthropic's protocol, servers refuse a conversation with tool calls but without tools.
   * With OpenAI's, some servers ignore `toolChoice`.
   */
  #stepSettings(step: number): { toolChoice: 'none' } | { activeTools: [] } | undefined {
    const { limits, tools } = this.#request;
    if (this.#calls.areUsedUp) this.#last = 'tool-calls';
    else if (step + 1 >= limits.stepsMax) this.#last = 'steps';
    else if (step > 0 && this.#isAnotherTooMuch()) this.#last = 'tokens';
    if (this.#last === undefined || tools.length === 0) return undefined;
    const isAnthropic = protocolOf(this.#parts.target) === 'anthropic';
    return isAnthropic ? { toolChoice: 'none' } : { activeTools: [] };
  }

  /**
   * Whether an answer of the length of the last one would be the last that fits: then the model has
   * to answer with what it knows.
   */
  #isAnotherTooMuch(): boolean {
    const used = this.#used;
    const last = used - this.#usedBefore;
    this.#usedBefore = used;
    return used + last >= this.#request.limits.tokensMax;
  }

  /** Whether the run must not ask again, not even for a last answer. */
  #isOver(): boolean {
    const { tokensMax, isStrict = false } = this.#request.limits;
    return isStrict && this.#used >= tokensMax;
  }

  get #used(): number {
    const { inputTokens, outputTokens } = this.#parts.provider.usage;
    return inputTokens + outputTokens;
  }

  /** The library's words for a call that could not start give way to ours. */
  #inOwnWords(message: ModelMessage): ModelMessage {
    if (message.role !== 'tool') return message;
    const content = message.content.map((part) => {
      const told = part.type === 'tool-result' ? this.#calls.refusalOf(part.toolCallId) : undefined;
      return told === undefined || part.type !== 'tool-result'
        ? part
        : { ...part, output: { type: 'error-text' as const, value: told } };
    });
    return { ...message, content };
  }

  #endOf(reason: string, hasCalls: boolean): ModelOutcome['ended'] {
    if (reason === 'length') return 'length';
    if (this.#last !== undefined) return this.#calls.ended.length === 0 ? 'answer' : this.#last;
    return hasCalls ? 'tokens' : 'answer';
  }
}

function refusalOf(error: unknown): { readonly code: string; readonly message: string } {
  const isUnknown = error instanceof Error && error.name === 'AI_NoSuchToolError';
  return isUnknown
    ? { code: 'tool_not_found', message: 'There is no such tool.' }
    : { code: 'invalid_request', message: 'The arguments of the tool are not JSON.' };
}

/**
 * The server makes the request itself, so the user did nothing wrong. The user does not see what
 * the provider says about it.
 */
function notTheirs(refusal: Problem): Problem {
  return misconfigured('refuses the request of this server.', refusal);
}

function tooLate({ timeoutMs }: ModelLimits): Problem {
  const message = `The model had no answer within ${timeoutMs / 1_000} seconds.`;
  return new Problem('llm_timeout', message);
}
