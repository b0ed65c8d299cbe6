import { randomUUID } from 'node:crypto';
import { unreachable } from '#base/assert.ts';
import { type JsonObject, listIn } from './json-members.ts';
import type { TokenCounts } from './llm-call.ts';
import type {
  Answering,
  AnswerWriter,
  ClientAdapter,
  EndReason,
  NeutralAnswer,
  NeutralCall,
  NeutralEvent,
} from './protocol-adapter.ts';
import { readRequest } from './responses-request.ts';

/**
 * OpenAI's Responses API, for clients alone: providers are asked in the protocols that more of them
 * speak. Nothing is stored, so a request has its whole conversation; it may refer to messages that
 * `KeptMessages` has.
 */
export const responses: ClientAdapter = {
  readRequest,
  writeAnswer,
  answerWriter: (answering) => new ResponsesWriter(answering),
};

function writeAnswer(
  { id, model, texts, calls, end, counts }: NeutralAnswer,
  answering: Answering,
) {
  const text = texts.join('');
  const said = text === '' ? [] : [messageItem(messageId(), text, 'completed')];
  for (const item of said) answering.onMessage?.(item.id, text);
  const output = [...said, ...calls.map((call) => callItem(call, 'completed'))];
  return responseOf({ id, model, output, end, counts }, answering);
}

interface Response {
  readonly id: unknown;
  readonly model: unknown;
  readonly output: readonly JsonObject[];
  /** Undefined until it has ended. */
  readonly end: EndReason | undefined;
  readonly counts: TokenCounts | undefined;
}

const WHY: Readonly<Partial<Record<EndReason, string>>> = {
  limit: 'max_output_tokens',
  refused: 'content_filter',
};

function responseOf(
  { id, model, output, end, counts }: Response,
  { request, now }: Answering,
): JsonObject {
  const reason = end === undefined ? undefined : WHY[end];
  const ended = reason === undefined ? 'completed' : 'incomplete';
  return {
    id: `resp_${String(id)}`,
    object: 'response',
    created_at: Math.floor(now / 1_000),
    status: end === undefined ? 'in_progress' : ended,
    background: false,
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: request['instructions'] ?? null,
    max_output_tokens: request['max_output_tokens'] ?? null,
    metadata: request['metadata'] ?? {},
    model,
    output,
    parallel_tool_calls: request['parallel_tool_calls'] ?? true,
    previous_response_id: null,
    store: false,
    temperature: request['temperature'] ?? null,
    text: request['text'] ?? { format: { type: 'text' } },
    tool_choice: request['tool_choice'] ?? 'auto',
    tools: listIn(request['tools']),
    top_p: request['top_p'] ?? null,
    truncation: 'disabled',
    usage: end === undefined ? null : usageOf(counts),
  };
}

function usageOf(counts: TokenCounts | undefined): JsonObject {
  const { inputTokens = 0, outputTokens = 0 } = counts ?? {};
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}

type ItemStatus = 'in_progress' | 'completed';

/** Unlike those of many providers, no two are the same. */
function messageId(uuid: string = randomUUID()): string {
  return `msg_${uuid.replaceAll('-', '')}`;
}

function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function messageItem(
  id: string,
  text: string | undefined,
  status: ItemStatus,
): JsonObject & { readonly id: string } {
  const content = text === undefined ? [] : [textPart(text)];
  return { id, type: 'message', role: 'assistant', status, content };
}

function callItem({ id, name, input }: NeutralCall, status: ItemStatus): JsonObject {
  const json = typeof input === 'string' ? input : JSON.stringify(input ?? {});
  return {
    id: `fc_${String(id)}`,
    type: 'function_call',
    call_id: id,
    name,
    arguments: json,
    status,
  };
}

type Open =
  | { readonly kind: 'message'; readonly id: string; text: string }
  | { readonly kind: 'call'; readonly id: unknown; readonly name: unknown; json: string };

/** Each item of the output begins, grows and ends before the next one begins. */
class ResponsesWriter implements AnswerWriter {
  readonly #answering: Answering;
  readonly #output: JsonObject[] = [];
  #answer: { readonly id?: unknown; readonly model?: unknown } = {};
  #open: Open | undefined;
  #end: EndReason = 'done';
  #sequence = 0;

  constructor(answering: Answering) {
    this.#answering = answering;
  }

  write(event: NeutralEvent): string {
    switch (event.kind) {
      case 'start':
        this.#answer = event;
        return this.#told('created') + this.#told('in_progress');
      case 'text':
        return this.#text(String(event.text));
      case 'call': {
        const { id, name } = event;
        const closed = this.#close();
        this.#open = { kind: 'call', id, name, json: '' };
        const item = callItem({ id, name, input: '' }, 'in_progress');
        return closed + this.#event('output_item.added', { ...this.#at(), item });
      }
      case 'arguments': {
        if (this.#open?.kind !== 'call') return '';
        const delta = String(event.json);
        this.#open.json += delta;
        return this.#event('function_call_arguments.delta', {
          ...this.#at(),
          ...this.#item(),
          delta,
        });
      }
      case 'end':
        this.#end = event.reason;
        return this.#close();
      default:
        return unreachable(event);
    }
  }

  end(counts: TokenCounts | undefined): string {
    const closed = this.#close();
    return closed + this.#told(WHY[this.#end] === undefined ? 'completed' : 'incomplete', counts);
  }

  #text(delta: string): string {
    let begun = '';
    if (this.#open?.kind !== 'message') {
      begun = this.#close();
      const id = messageId();
      this.#open = { kind: 'message', id, text: '' };
      const item = messageItem(id, undefined, 'in_progress');
      begun += this.#event('output_item.added', { ...this.#at(), item });
      begun += this.#event('content_part.added', { ...this.#part(), part: textPart('') });
    }
    this.#open.text += delta;
    return begun + this.#event('output_text.delta', { ...this.#part(), delta, logprobs: [] });
  }

  /** Ends the item that is open. */
  #close(): string {
    const open = this.#open;
    if (open === undefined) return '';
    let text = '';
    let item: JsonObject;
    if (open.kind === 'message') {
      item = messageItem(open.id, open.text, 'completed');
      this.#answering.onMessage?.(open.id, open.text);
      const part = textPart(open.text);
      text += this.#event('output_text.done', { ...this.#part(), text: open.text, logprobs: [] });
      text += this.#event('content_part.done', { ...this.#part(), part });
    } else {
      const json = open.json === '' ? '{}' : open.json;
      item = callItem({ id: open.id, name: open.name, input: json }, 'completed');
      const done = { name: open.name, arguments: json };
      text += this.#event('function_call_arguments.done', {
        ...this.#at(),
        ...this.#item(),
        ...done,
      });
    }
    text += this.#event('output_item.done', { ...this.#at(), item });
    this.#output.push(item);
    this.#open = undefined;
    return text;
  }

  #at(): JsonObject {
    return { output_index: this.#output.length };
  }

  #item(): JsonObject {
    const { kind, id } = this.#open ?? {};
    return { item_id: kind === 'call' ? `fc_${String(id)}` : id };
  }

  #part(): JsonObject {
    return { ...this.#at(), ...this.#item(), content_index: 0 };
  }

  /** An event of the whole response. */
  #told(state: 'created' | 'in_progress' | 'completed' | 'incomplete', counts?: TokenCounts) {
    const isOver = state === 'completed' || state === 'incomplete';
    const { id, model } = this.#answer;
    const output = isOver ? [...this.#output] : [];
    const end = isOver ? this.#end : undefined;
    return this.#event(state, {
      response: responseOf({ id, model, output, end, counts }, this.#answering),
    });
  }

  #event(name: string, members: JsonObject): string {
    const type = `response.${name}`;
    const data = { type, sequence_number: this.#sequence++, ...members };
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}
