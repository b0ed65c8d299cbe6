import type { Said } from '../llm-server.ts';

const ID = 'chatcmpl-1';
const CREATED = 1_800_000_000;

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
  const choices = [{ index: 0, message, finish_reason: reasonOf(said) }];
  const head = { id: ID, object: 'chat.completion', created: CREATED, model };
  return JSON.stringify({ ...head, choices, usage: usageOf(said) });
}

export function openAiEvents(said: Said, model: string, hasUsage: boolean): string[] {
  const head = { id: ID, object: 'chat.completion.chunk', created: CREATED, model };
  const usage = hasUsage ? { usage: null } : {};
  const chunk = (delta: object, reason: string | null = null): string =>
    eventOf({ ...head, choices: [{ index: 0, delta, finish_reason: reason }], ...usage });
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
    chunk({}, reasonOf(said)),
    ...(hasUsage ? [eventOf({ ...head, choices: [], usage: usageOf(said) })] : []),
    'data: [DONE]\n\n',
  ];
}

function reasonOf({ tools, stop }: Said): string {
  return tools.length > 0 ? 'tool_calls' : stop === 'length' ? 'length' : 'stop';
}

function usageOf({ inputTokens, outputTokens }: Said): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

function eventOf(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
