import { isObject, unreachable } from '#base/assert.ts';
import { readRequest, writeCall, writeRequest } from './anthropic-request.ts';
import { countIn, type JsonObject, listIn, objectIn, textIn } from './json-members.ts';
import type { StreamMeter, TokenCounts } from './llm-call.ts';
import type {
  AnswerReader,
  AnswerWriter,
  EndReason,
  NeutralAnswer,
  NeutralEvent,
  ProtocolAdapter,
} from './protocol-adapter.ts';

const VERSION = '2023-06-01';

/** Anthropic's Messages API. */
export const anthropic: ProtocolAdapter = {
  path: 'messages',
  headers: (apiKey, given) => ({
    'anthropic-version': VERSION,
    ...given,
    ...(apiKey === null ? {} : { 'x-api-key': apiKey }),
  }),
  within: (request, tokensMax) => ({
    ...request,
    max_tokens: Math.min(Number(request['max_tokens']), tokensMax),
  }),
  isUnasked: () => false,
  readRequest,
  writeRequest,
  readAnswer,
  writeAnswer,
  countsOf: ({ usage }) => (isObject(usage) ? countsIn(usage) : undefined),
  meter: () => new AnthropicMeter(),
  answerReader: () => new AnthropicReader(),
  answerWriter: () => new AnthropicWriter(),
};

function readAnswer(message: JsonObject): NeutralAnswer {
  const blocks = listIn(message['content']).map(objectIn);
  const calls = blocks.filter(({ type }) => type === 'tool_use');
  return {
    id: message['id'],
    model: message['model'],
    texts: blocks.filter(({ type }) => type === 'text').map(({ text }) => textIn(text)),
    calls: calls.map(({ id, name, input }) => ({ id, name, input })),
    end: endOf(message['stop_reason']),
    counts: anthropic.countsOf(message),
  };
}

function endOf(reason: unknown): EndReason {
  switch (reason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'limit';
    case 'tool_use':
      return 'tools';
    case 'refusal':
      return 'refused';
    default:
      return 'done';
  }
}

const STOP_REASONS: Readonly<Record<EndReason, string>> = {
  done: 'end_turn',
  limit: 'max_tokens',
  tools: 'tool_use',
  refused: 'refusal',
};

function writeAnswer({ id, model, texts, calls, end, counts }: NeutralAnswer): JsonObject {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [...texts.map((text) => ({ type: 'text', text })), ...calls.map(writeCall)],
    stop_reason: STOP_REASONS[end],
    stop_sequence: null,
    usage: usageOf(counts),
  };
}

/** Tokens read from or written to a cache are input too. */
function countsIn(usage: JsonObject): TokenCounts {
  const parts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
  return {
    inputTokens: parts.reduce((sum, name) => sum + countIn(usage[name]), 0),
    outputTokens: countIn(usage['output_tokens']),
  };
}

function usageOf(counts: TokenCounts | undefined): JsonObject {
  return { input_tokens: counts?.inputTokens ?? 0, output_tokens: counts?.outputTokens ?? 0 };
}

class AnthropicMeter implements StreamMeter {
  isWhole = false;
  counts: TokenCounts | undefined;
  events = 0;

  see(event: JsonObject): void {
    this.events++;
    if (event['type'] === 'message_stop') this.isWhole = true;
    const usage = event['usage'] ?? objectIn(event['message'])['usage'];
    if (!isObject(usage)) return;
    // Each event has the totals so far. Later events may leave out totals that an earlier one had.
    const { inputTokens, outputTokens } = countsIn(usage);
    this.counts = {
      inputTokens: Math.max(inputTokens, this.counts?.inputTokens ?? 0),
      outputTokens: Math.max(outputTokens, this.counts?.outputTokens ?? 0),
    };
  }
}

class AnthropicReader implements AnswerReader {
  /** The blocks that are tool calls, by their index among all blocks. */
  readonly #calls = new Map<unknown, { readonly index: number; hasArguments: boolean }>();

  read(event: JsonObject): NeutralEvent[] {
    switch (event['type']) {
      case 'message_start': {
        const { id, model } = objectIn(event['message']);
        return [{ kind: 'start', id, model }];
      }
      case 'content_block_start':
        return this.#start(event['index'], objectIn(event['content_block']));
      case 'content_block_delta':
        return this.#delta(event['index'], objectIn(event['delta']));
      case 'content_block_stop':
        return this.#stop(event['index']);
      case 'message_delta': {
        const reason = objectIn(event['delta'])['stop_reason'];
        return typeof reason === 'string' ? [{ kind: 'end', reason: endOf(reason) }] : [];
      }
      default:
        return [];
    }
  }

  #start(at: unknown, { type, id, name, text }: JsonObject): NeutralEvent[] {
    if (type === 'text' && textIn(text) !== '') return [{ kind: 'text', text, isRefusal: false }];
    if (type !== 'tool_use') return [];
    const index = this.#calls.size;
    this.#calls.set(at, { index, hasArguments: false });
    return [{ kind: 'call', index, id, name }];
  }

  #delta(at: unknown, { type, text, partial_json: json }: JsonObject): NeutralEvent[] {
    if (type === 'text_delta') return [{ kind: 'text', text, isRefusal: false }];
    const call = this.#calls.get(at);
    if (type !== 'input_json_delta' || call === undefined || textIn(json) === '') return [];
    call.hasArguments = true;
    return [{ kind: 'arguments', index: call.index, json }];
  }

  /** A call without arguments gets an empty object. */
  #stop(at: unknown): NeutralEvent[] {
    const call = this.#calls.get(at);
    if (call === undefined || call.hasArguments) return [];
    return [{ kind: 'arguments', index: call.index, json: '{}' }];
  }
}

/**
 * Writes one block after the other; the last block stays open until the next one begins, or the
 * answer ends.
 */
class AnthropicWriter implements AnswerWriter {
  #hasBegun = false;
  #blocks = 0;
  #open: 'text' | 'call' | undefined;
  #reason: EndReason = 'done';
  #isRefused = false;

  write(event: NeutralEvent): string {
    switch (event.kind) {
      case 'start':
        return this.#begin(event.id, event.model);
      case 'text': {
        if (event.isRefusal) this.#isRefused = true;
        const start = this.#open === 'text' ? '' : this.#start('text', { type: 'text', text: '' });
        return start + this.#delta({ type: 'text_delta', text: event.text });
      }
      case 'call':
        return this.#start('call', writeCall({ id: event.id, name: event.name, input: {} }));
      case 'arguments':
        return this.#delta({ type: 'input_json_delta', partial_json: event.json });
      case 'end':
        this.#reason = event.reason;
        return '';
      default:
        return unreachable(event);
    }
  }

  end(counts: TokenCounts | undefined): string {
    const reason = STOP_REASONS[this.#isRefused ? 'refused' : this.#reason];
    const delta = { stop_reason: reason, stop_sequence: null };
    return (
      this.#begin(undefined, undefined) +
      this.#close() +
      textOf({ type: 'message_delta', delta, usage: usageOf(counts) }) +
      textOf({ type: 'message_stop' })
    );
  }

  #begin(id: unknown, model: unknown): string {
    if (this.#hasBegun) return '';
    this.#hasBegun = true;
    // The token counts come with the last event.
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageOf(undefined),
    };
    return textOf({ type: 'message_start', message });
  }

  #start(what: 'text' | 'call', block: JsonObject): string {
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
