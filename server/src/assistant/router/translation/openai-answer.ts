import { countsOf, streamMeter } from '../stream-meter.ts';
import { listIn, objectIn, textIn } from '../json-members.ts';
import type { JsonObject } from '../llm-call.ts';
import type { TokenCounts } from '../llm-usage.ts';

/** A message of Anthropic's protocol as a chat completion of OpenAI's. `now` is in milliseconds since the Unix epoch. */
export function openAiAnswer(message: JsonObject, now: number): JsonObject {
  const blocks = listIn(message['content']).map(objectIn);
  const text = blocks.filter(({ type }) => type === 'text').map((block) => textIn(block['text']));
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(toolCall);
  const said = {
    role: 'assistant',
    content: text.length === 0 ? null : text.join(''),
    refusal: null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const reason = finishReason(message['stop_reason']);
  return {
    id: message['id'],
    object: 'chat.completion',
    created: Math.floor(now / 1_000),
    model: message['model'],
    choices: [{ index: 0, message: said, logprobs: null, finish_reason: reason }],
    usage: usage(countsOf('anthropic', message)),
  };
}

function toolCall({ id, name, input }: JsonObject): JsonObject {
  const called = { name, arguments: JSON.stringify(input ?? {}) };
  return { id, type: 'function', function: called };
}

function finishReason(reason: unknown): string {
  switch (reason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'tool_use':
      return 'tool_calls';
    case 'refusal':
      return 'content_filter';
    default:
      return 'stop';
  }
}

function usage(counts: TokenCounts | undefined): JsonObject {
  const { inputTokens = 0, outputTokens = 0 } = counts ?? {};
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

/** The same of a stream. */
export class OpenAiStreamWriter {
  readonly #wantsUsage: boolean;
  readonly #created: number;
  readonly #meter = streamMeter('anthropic');
  #message: JsonObject = {};
  /** The blocks that are tool calls, by their place among all blocks. */
  readonly #calls = new Map<unknown, { readonly index: number; hasArguments: boolean }>();

  constructor({ wantsUsage, now }: { readonly wantsUsage: boolean; readonly now: number }) {
    this.#wantsUsage = wantsUsage;
    this.#created = Math.floor(now / 1_000);
  }

  write(event: JsonObject | null): string {
    if (event === null) return '';
    this.#meter.see(event);
    switch (event['type']) {
      case 'message_start':
        this.#message = objectIn(event['message']);
        return this.#chunk({ role: 'assistant', content: '' });
      case 'content_block_start':
        return this.#start(event['index'], objectIn(event['content_block']));
      case 'content_block_delta':
        return this.#delta(event['index'], objectIn(event['delta']));
      case 'content_block_stop':
        return this.#stop(event['index']);
      case 'message_delta':
        return this.#finish(objectIn(event['delta'])['stop_reason']);
      default:
        return '';
    }
  }

  end(): string {
    const counted = { ...this.#head(), choices: [], usage: usage(this.#meter.counts) };
    return `${this.#wantsUsage ? textOf(counted) : ''}data: [DONE]\n\n`;
  }

  #start(at: unknown, { type, id, name, text }: JsonObject): string {
    if (type === 'text' && textIn(text) !== '') return this.#chunk({ content: text });
    if (type !== 'tool_use') return '';
    const call = { index: this.#calls.size, hasArguments: false };
    this.#calls.set(at, call);
    const called = { name, arguments: '' };
    return this.#call({ index: call.index, id, type: 'function', function: called });
  }

  #delta(at: unknown, { type, text, partial_json: json }: JsonObject): string {
    if (type === 'text_delta') return this.#chunk({ content: text });
    const call = this.#calls.get(at);
    if (type !== 'input_json_delta' || call === undefined || textIn(json) === '') return '';
    call.hasArguments = true;
    return this.#call({ index: call.index, function: { arguments: json } });
  }

  /** A call without arguments has those of an empty object. */
  #stop(at: unknown): string {
    const call = this.#calls.get(at);
    if (call === undefined || call.hasArguments) return '';
    return this.#call({ index: call.index, function: { arguments: '{}' } });
  }

  #finish(reason: unknown): string {
    return typeof reason === 'string' ? this.#chunk({}, finishReason(reason)) : '';
  }

  #call(call: JsonObject): string {
    return this.#chunk({ tool_calls: [call] });
  }

  #chunk(delta: JsonObject, reason: string | null = null): string {
    const choice = { index: 0, delta, logprobs: null, finish_reason: reason };
    return textOf({ ...this.#head(), choices: [choice] });
  }

  #head(): JsonObject {
    const { id, model } = this.#message;
    return { id, object: 'chat.completion.chunk', created: this.#created, model };
  }
}

function textOf(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
