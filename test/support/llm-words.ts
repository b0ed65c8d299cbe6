/** What a model says, whichever protocol it is told in. */
export interface Said {
  readonly text: string;
  readonly tools: readonly { readonly id: string; readonly name: string; readonly input: object }[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** It stops because it has said enough, or because it may say no more. */
  readonly stop: 'end' | 'length';
}

const COMPLETION_ID = 'chatcmpl-1';
const CREATED = 1_800_000_000;
const MESSAGE_ID = 'msg_1';

export function openAiAnswer(said: Said, model: string): string {
  const calls = said.tools.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  const message = {
    role: 'assistant',
    content: said.text === '' ? null : said.text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const choices = [{ index: 0, message, finish_reason: finishReason(said) }];
  const head = { id: COMPLETION_ID, object: 'chat.completion', created: CREATED, model };
  return JSON.stringify({ ...head, choices, usage: openAiUsage(said) });
}

export function openAiEvents(said: Said, model: string, hasUsage: boolean): string[] {
  const head = { id: COMPLETION_ID, object: 'chat.completion.chunk', created: CREATED, model };
  const usage = hasUsage ? { usage: null } : {};
  const chunk = (delta: object, reason: string | null = null): string =>
    dataEvent({ ...head, choices: [{ index: 0, delta, finish_reason: reason }], ...usage });
  const words = said.text === '' ? [] : said.text.split(/(?= )/);
  const calls = said.tools.flatMap(({ id, name, input }, index) => {
    const text = JSON.stringify(input);
    const begin = { index, id, type: 'function', function: { name, arguments: '' } };
    const pieces = [text.slice(0, 3), text.slice(3)].filter((piece) => piece !== '');
    return [begin, ...pieces.map((piece) => ({ index, function: { arguments: piece } }))];
  });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...words.map((content) => chunk({ content })),
    ...calls.map((call) => chunk({ tool_calls: [call] })),
    chunk({}, finishReason(said)),
    ...(hasUsage ? [dataEvent({ ...head, choices: [], usage: openAiUsage(said) })] : []),
    'data: [DONE]\n\n',
  ];
}

function finishReason({ tools, stop }: Said): string {
  return tools.length > 0 ? 'tool_calls' : stop === 'length' ? 'length' : 'stop';
}

function openAiUsage({ inputTokens, outputTokens }: Said): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

function dataEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export function anthropicAnswer(said: Said, model: string): string {
  return JSON.stringify({
    id: MESSAGE_ID,
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(said.text === '' ? [] : [{ type: 'text', text: said.text }]),
      ...said.tools.map((tool) => ({ type: 'tool_use', ...tool })),
    ],
    stop_reason: stopReason(said),
    stop_sequence: null,
    usage: { input_tokens: said.inputTokens, output_tokens: said.outputTokens },
  });
}

export function anthropicEvents(said: Said, model: string): string[] {
  const message = {
    id: MESSAGE_ID,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: said.inputTokens, output_tokens: 1 },
  };
  const words = said.text === '' ? [] : [said.text.split(/(?= )/)];
  const texts = words.map((deltas) => ({
    block: { type: 'text', text: '' },
    deltas: deltas.map((text) => ({ type: 'text_delta', text })),
  }));
  const calls = said.tools.map(({ id, name, input }) => {
    const text = JSON.stringify(input);
    const pieces = text === '{}' ? [''] : ['', text.slice(0, 3), text.slice(3)];
    return {
      block: { type: 'tool_use', id, name, input: {} },
      deltas: pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    };
  });
  const blocks = [...texts, ...calls].flatMap(({ block, deltas }, index) => [
    namedEvent({ type: 'content_block_start', index, content_block: block }),
    ...deltas.map((delta) => namedEvent({ type: 'content_block_delta', index, delta })),
    namedEvent({ type: 'content_block_stop', index }),
  ]);
  return [
    namedEvent({ type: 'message_start', message }),
    namedEvent({ type: 'ping' }),
    ...blocks,
    namedEvent({
      type: 'message_delta',
      delta: { stop_reason: stopReason(said), stop_sequence: null },
      usage: { output_tokens: said.outputTokens },
    }),
    namedEvent({ type: 'message_stop' }),
  ];
}

function stopReason({ tools, stop }: Said): string {
  return tools.length > 0 ? 'tool_use' : stop === 'length' ? 'max_tokens' : 'end_turn';
}

function namedEvent(data: Readonly<Record<string, unknown>> & { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
