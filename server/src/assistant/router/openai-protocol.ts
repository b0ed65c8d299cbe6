import { isObject, unreachable } from '#base/assert.ts';
import { countIn, type JsonObject, listIn, objectIn, textIn } from './json-members.ts';
import type { StreamMeter, TokenCounts } from './llm-call.ts';
import { readRequest, writeCall, writeRequest } from './openai-request.ts';
import type {
  Answering,
  AnswerReader,
  AnswerWriter,
  EndReason,
  NeutralAnswer,
  NeutralCall,
  NeutralEvent,
  ProtocolAdapter,
} from './protocol-adapter.ts';
import { misconfigured } from './provider-problem.ts';

/** OpenAI's Chat Completions API. */
export const openAi: ProtocolAdapter = {
  path: 'chat/completions',
  headers: (apiKey) => (apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  within,
  isUnasked: (request, event) => isUsageOnly(event) && !hasUsage(request),
  readRequest,
  writeRequest,
  readAnswer,
  writeAnswer,
  countsOf: ({ usage }) => (isObject(usage) ? countsIn(usage) : undefined),
  meter: () => new OpenAiMeter(),
  answerReader: () => new OpenAiReader(),
  answerWriter: (answering) => new OpenAiWriter(answering),
};

/** Always asks the provider to count the tokens of a stream, because otherwise it does not. */
function within(request: JsonObject, tokensMax: number): JsonObject {
  const named = ['max_tokens', 'max_completion_tokens'].filter(
    (name) => typeof request[name] === 'number',
  );
  const limits = named.map((name) => [name, Math.min(Number(request[name]), tokensMax)]);
  return {
    ...request,
    ...(limits.length === 0 ? { max_completion_tokens: tokensMax } : Object.fromEntries(limits)),
    ...(request['stream'] === true
      ? { stream_options: { ...objectIn(request['stream_options']), include_usage: true } }
      : {}),
  };
}

function hasUsage(request: JsonObject): boolean {
  return objectIn(request['stream_options'])['include_usage'] === true;
}

function isUsageOnly(event: JsonObject): boolean {
  return isObject(event['usage']) && listIn(event['choices']).length === 0;
}

function readAnswer(completion: JsonObject): NeutralAnswer {
  const choice = objectIn(listIn(completion['choices'])[0]);
  const { content, refusal, tool_calls: calls } = objectIn(choice['message']);
  const isRefused = textIn(refusal) !== '';
  return {
    id: completion['id'],
    model: completion['model'],
    texts: [textIn(content), textIn(refusal)].filter((text) => text !== ''),
    calls: listIn(calls).map(calledOf),
    end: isRefused ? 'refused' : endOf(choice['finish_reason']),
    counts: openAi.countsOf(completion),
  };
}

function calledOf(call: unknown): NeutralCall {
  const { id, function: called } = objectIn(call);
  const { name, arguments: text } = objectIn(called);
  return { id, name, input: inputOf(textIn(text)) };
}

function inputOf(text: string): JsonObject {
  try {
    const input: unknown = JSON.parse(text === '' ? '{}' : text);
    if (isObject(input)) return input;
  } catch (cause) {
    throw misconfigured('calls a tool with arguments that are not JSON.', cause);
  }
  throw misconfigured('calls a tool with arguments that are no object.');
}

function endOf(reason: unknown): EndReason {
  switch (reason) {
    case 'length':
      return 'limit';
    case 'tool_calls':
    case 'function_call':
      return 'tools';
    case 'content_filter':
      return 'refused';
    default:
      return 'done';
  }
}

const FINISH_REASONS: Readonly<Record<EndReason, string>> = {
  done: 'stop',
  limit: 'length',
  tools: 'tool_calls',
  refused: 'content_filter',
};

function writeAnswer({ id, model, texts, calls, end, counts }: NeutralAnswer, { now }: Answering) {
  const said = {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join(''),
    refusal: null,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(writeCall) }),
  };
  return {
    id,
    object: 'chat.completion',
    created: Math.floor(now / 1_000),
    model,
    choices: [{ index: 0, message: said, logprobs: null, finish_reason: FINISH_REASONS[end] }],
    usage: usageOf(counts),
  };
}

function countsIn(usage: JsonObject): TokenCounts {
  return {
    inputTokens: countIn(usage['prompt_tokens']),
    outputTokens: countIn(usage['completion_tokens']),
  };
}

function usageOf(counts: TokenCounts | undefined): JsonObject {
  const { inputTokens = 0, outputTokens = 0 } = counts ?? {};
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

class OpenAiMeter implements StreamMeter {
  isWhole = false;
  counts: TokenCounts | undefined;
  events = 0;

  see(event: JsonObject): void {
    this.events++;
    if (isObject(event['usage'])) this.counts = countsIn(event['usage']);
    const isLast = (choice: unknown): boolean =>
      typeof objectIn(choice)['finish_reason'] === 'string';
    if (listIn(event['choices']).some(isLast)) this.isWhole = true;
  }
}

class OpenAiReader implements AnswerReader {
  #hasBegun = false;
  /** "text" or the index of a tool call: the part of the answer that the last event belongs to. */
  #open: unknown;

  read(event: JsonObject): NeutralEvent[] {
    const events: NeutralEvent[] = [];
    if (!this.#hasBegun) events.push({ kind: 'start', id: event['id'], model: event['model'] });
    this.#hasBegun = true;
    const choice = objectIn(listIn(event['choices'])[0]);
    const { content, refusal, tool_calls: calls } = objectIn(choice['delta']);
    const text = textIn(content) + textIn(refusal);
    if (text !== '') {
      this.#open = 'text';
      events.push({ kind: 'text', text, isRefusal: textIn(refusal) !== '' });
    }
    for (const call of listIn(calls)) events.push(...this.#call(objectIn(call)));
    const reason = choice['finish_reason'];
    if (typeof reason === 'string') events.push({ kind: 'end', reason: endOf(reason) });
    return events;
  }

  #call({ index: given = 0, id, function: called }: JsonObject): NeutralEvent[] {
    const { name, arguments: json } = objectIn(called);
    const index = Number(given);
    const events: NeutralEvent[] = [];
    if (this.#open !== given) {
      if (typeof name !== 'string') throw misconfigured('calls two tools in one piece.');
      this.#open = given;
      events.push({ kind: 'call', index, id, name });
    }
    if (textIn(json) !== '') events.push({ kind: 'arguments', index, json });
    return events;
  }
}

class OpenAiWriter implements AnswerWriter {
  readonly #wantsUsage: boolean;
  readonly #created: number;
  #answer: { readonly id?: unknown; readonly model?: unknown } = {};

  constructor({ request, now }: Answering) {
    this.#wantsUsage = hasUsage(request);
    this.#created = Math.floor(now / 1_000);
  }

  write(event: NeutralEvent): string {
    switch (event.kind) {
      case 'start':
        this.#answer = event;
        return this.#chunk({ role: 'assistant', content: '' });
      case 'text':
        return this.#chunk({ content: event.text });
      case 'call': {
        const { index, id, name } = event;
        return this.#call({ index, id, type: 'function', function: { name, arguments: '' } });
      }
      case 'arguments':
        return this.#call({ index: event.index, function: { arguments: event.json } });
      case 'end':
        return this.#chunk({}, FINISH_REASONS[event.reason]);
      default:
        return unreachable(event);
    }
  }

  end(counts: TokenCounts | undefined): string {
    const counted = { ...this.#head(), choices: [], usage: usageOf(counts) };
    return `${this.#wantsUsage ? textOf(counted) : ''}data: [DONE]\n\n`;
  }

  #call(call: JsonObject): string {
    return this.#chunk({ tool_calls: [call] });
  }

  #chunk(delta: JsonObject, reason: string | null = null): string {
    const choice = { index: 0, delta, logprobs: null, finish_reason: reason };
    return textOf({ ...this.#head(), choices: [choice] });
  }

  #head(): JsonObject {
    const { id, model } = this.#answer;
    return { id, object: 'chat.completion.chunk', created: this.#created, model };
  }
}

function textOf(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
