import { countsOf, streamMeter } from '../stream-meter.ts';
import { isObject, listIn, objectIn, textIn } from '../json-members.ts';
import type { JsonObject } from '../llm-call.ts';
import { misconfigured } from '../provider-problem.ts';
import type { TokenCounts } from '../llm-usage.ts';

/** A chat completion of OpenAI's protocol as a message of Anthropic's. Throws `llm_misconfigured` for tool calls without JSON. */
export function anthropicAnswer(completion: JsonObject): JsonObject {
  const choice = objectIn(listIn(completion['choices'])[0]);
  const { content, refusal, tool_calls: calls } = objectIn(choice['message']);
  const texts = [textIn(content), textIn(refusal)].filter((text) => text !== '');
  const isRefused = textIn(refusal) !== '';
  return {
    id: completion['id'],
    type: 'message',
    role: 'assistant',
    model: completion['model'],
    content: [...texts.map((text) => ({ type: 'text', text })), ...listIn(calls).map(toolUse)],
    stop_reason: isRefused ? 'refusal' : stopReason(choice['finish_reason']),
    stop_sequence: null,
    usage: usage(countsOf('openai', completion)),
  };
}

function toolUse(call: unknown): JsonObject {
  const { id, function: called } = objectIn(call);
  const { name, arguments: text } = objectIn(called);
  return { type: 'tool_use', id, name, input: inputOf(textIn(text)) };
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

function stopReason(reason: unknown): string {
  switch (reason) {
    case 'length':
      return 'max_tokens';
    case 'tool_calls':
    case 'function_call':
      return 'tool_use';
    case 'content_filter':
      return 'refusal';
    default:
      return 'end_turn';
  }
}

function usage(counts: TokenCounts | undefined): JsonObject {
  return { input_tokens: counts?.inputTokens ?? 0, output_tokens: counts?.outputTokens ?? 0 };
}

/** The same of a stream. Blocks come one after the other; the last one is open until there is another, or the end. */
export class AnthropicStreamWriter {
  readonly #meter = streamMeter('openai');
  #hasBegun = false;
  #blocks = 0;
  /** "text", or the index of a tool call; undefined when none is open. */
  #open: unknown;
  #reason = 'end_turn';
  #isRefused = false;

  write(event: JsonObject | null): string {
    if (event === null) return '';
    this.#meter.see(event);
    const choice = objectIn(listIn(event['choices'])[0]);
    const { content, refusal, tool_calls: calls } = objectIn(choice['delta']);
    let text = this.#begin(event);
    const said = textIn(content) + textIn(refusal);
    if (said !== '') text += this.#text(said);
    if (textIn(refusal) !== '') this.#isRefused = true;
    for (const call of listIn(calls)) text += this.#call(objectIn(call));
    if (typeof choice['finish_reason'] === 'string') {
      this.#reason = stopReason(choice['finish_reason']);
    }
    return text;
  }

  end(): string {
    const reason = this.#isRefused ? 'refusal' : this.#reason;
    const delta = { stop_reason: reason, stop_sequence: null };
    return (
      this.#begin({}) +
      this.#close() +
      textOf({ type: 'message_delta', delta, usage: usage(this.#meter.counts) }) +
      textOf({ type: 'message_stop' })
    );
  }

  #begin({ id, model }: JsonObject): string {
    if (this.#hasBegun) return '';
    this.#hasBegun = true;
    // What was counted comes with the end.
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usage(undefined),
    };
    return textOf({ type: 'message_start', message });
  }

  #text(text: string): string {
    const start = this.#open === 'text' ? '' : this.#start('text', { type: 'text', text: '' });
    return start + this.#delta({ type: 'text_delta', text });
  }

  #call({ index = 0, id, function: called }: JsonObject): string {
    const { name, arguments: json } = objectIn(called);
    let start = '';
    if (this.#open !== index) {
      if (typeof name !== 'string') throw misconfigured('calls two tools in one piece.');
      start = this.#start(index, { type: 'tool_use', id, name, input: {} });
    }
    const more = textIn(json);
    return more === ''
      ? start
      : start + this.#delta({ type: 'input_json_delta', partial_json: more });
  }

  #start(what: unknown, block: JsonObject): string {
    const closed = this.#close();
    this.#open = what;
    this.#blocks++;
    return closed + textOf({ type: 'content_block_start', index: this.#at, content_block: block });
  }

  #delta(delta: JsonObject): string {
    return textOf({ type: 'content_block_delta', index: this.#at, delta });
  }

  #close(): string {
    if (this.#open === undefined) return '';
    this.#open = undefined;
    return textOf({ type: 'content_block_stop', index: this.#at });
  }

  get #at(): number {
    return this.#blocks - 1;
  }
}

function textOf(data: JsonObject): string {
  return `event: ${String(data['type'])}\ndata: ${JSON.stringify(data)}\n\n`;
}
