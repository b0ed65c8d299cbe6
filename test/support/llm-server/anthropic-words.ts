import type { Said } from '../llm-server.ts';

const ID = 'msg_1';

export function anthropicAnswer(said: Said, model: string): string {
  return JSON.stringify({
    id: ID,
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(said.text === '' ? [] : [{ type: 'text', text: said.text }]),
      ...said.tools.map((tool) => ({ type: 'tool_use', ...tool })),
    ],
    stop_reason: reasonOf(said),
    stop_sequence: null,
    usage: { input_tokens: said.inputTokens, output_tokens: said.outputTokens },
  });
}

export function anthropicEvents(said: Said, model: string): string[] {
  const message = {
    id: ID,
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
    eventOf({ type: 'content_block_start', index, content_block: block }),
    ...deltas.map((delta) => eventOf({ type: 'content_block_delta', index, delta })),
    eventOf({ type: 'content_block_stop', index }),
  ]);
  return [
    eventOf({ type: 'message_start', message }),
    eventOf({ type: 'ping' }),
    ...blocks,
    eventOf({
      type: 'message_delta',
      delta: { stop_reason: reasonOf(said), stop_sequence: null },
      usage: { output_tokens: said.outputTokens },
    }),
    eventOf({ type: 'message_stop' }),
  ];
}

function reasonOf({ tools, stop }: Said): string {
  return tools.length > 0 ? 'tool_use' : stop === 'length' ? 'max_tokens' : 'end_turn';
}

function eventOf(data: Readonly<Record<string, unknown>> & { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
