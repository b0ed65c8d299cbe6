import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  LlmWorkspace,
  MODEL,
  PROVIDER_KEY,
  thrown,
  type ProviderKind,
} from '../support/llm-workspace.ts';

let at: LlmWorkspace;
beforeAll(async () => {
  at = await LlmWorkspace.start();
});
afterAll(() => at[Symbol.asyncDispose]());

const PROVIDERS: readonly ProviderKind[] = ['openai-compatible', 'anthropic'];
const ASKED = { model: MODEL, messages: [{ role: 'user' as const, content: 'Hello?' }] };
const MESSAGE = { ...ASKED, max_tokens: 100 };
const WEATHER = {
  id: 'call_1',
  name: 'weather',
  input: { place: 'Örebro "N"', days: [1, 2] },
};
const NOTHING = { id: 'call_2', name: 'nothing', input: {} };
const SCHEMA = { type: 'object' as const, properties: { place: { type: 'string' } } };

describe.each(PROVIDERS)('with a provider that speaks %s', (provider) => {
  beforeAll(() => at.use(provider));
  beforeEach(() => at.provider.reset());

  test('a client of OpenAI gets an answer', async () => {
    const { said } = at.provider.script;
    const answer = await at.openAi().chat.completions.create(ASKED);
    expect(answer).toMatchObject({
      object: 'chat.completion',
      model: MODEL,
      choices: [
        { index: 0, message: { role: 'assistant', content: said.text }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 },
    });
    const { headers } = at.provider.last;
    expect(JSON.stringify(headers)).not.toContain(at.people.token('llm-openai'));
  });

  test('a client of Anthropic gets an answer', async () => {
    const answer = await at.anthropic().messages.create(MESSAGE);
    expect(answer).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [{ type: 'text', text: at.provider.script.said.text }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 11, output_tokens: 5 },
    });
    const { headers } = at.provider.last;
    expect(JSON.stringify(headers)).not.toContain(at.people.token('llm-anthropic'));
  });

  test('a client of OpenAI gets a stream', async () => {
    const client = at.openAi();
    const stream = client.chat.completions.stream({ ...ASKED });
    const deltas: string[] = [];
    stream.on('content', (delta) => deltas.push(delta));
    const { choices } = await stream.finalChatCompletion();
    const { text } = at.provider.script.said;
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe(text);
    expect(choices[0]).toMatchObject({ message: { content: text }, finish_reason: 'stop' });
    // Nobody asked for the usage, so that every chunk has a choice.
    const chunks = await client.chat.completions.create({ ...ASKED, stream: true });
    for await (const chunk of chunks) expect(chunk.choices).toHaveLength(1);
    const counted = await client.chat.completions.create({
      ...ASKED,
      stream: true,
      stream_options: { include_usage: true },
    });
    let usage: unknown;
    for await (const chunk of counted) usage = chunk.usage ?? usage;
    expect(usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 5 });
  });

  test('a client of Anthropic gets a stream', async () => {
    const stream = at.anthropic().messages.stream(MESSAGE);
    const deltas: string[] = [];
    stream.on('text', (delta) => deltas.push(delta));
    const message = await stream.finalMessage();
    const { text } = at.provider.script.said;
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe(text);
    expect(message).toMatchObject({
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 11, output_tokens: 5 },
    });
  });

  test.each([false, true])('a client of OpenAI calls tools, stream %s', async (isStream) => {
    at.provider.script.said = saidWith({ text: 'Let me see.', tools: [WEATHER, NOTHING] });
    const tools = ['weather', 'nothing'].map((name) => ({
      type: 'function' as const,
      function: { name, description: 'A tool', parameters: SCHEMA },
    }));
    const { completions } = at.openAi().chat;
    const request = { ...ASKED, tools, tool_choice: 'required' as const };
    const answer = isStream
      ? await completions.stream(request).finalChatCompletion()
      : await completions.create(request);
    const [choice] = answer.choices;
    expect(choice).toMatchObject({
      message: { content: 'Let me see.' },
      finish_reason: 'tool_calls',
    });
    const calls = (choice?.message.tool_calls ?? []).map((call) =>
      call.type === 'function'
        ? {
            id: call.id,
            name: call.function.name,
            input: JSON.parse(call.function.arguments) as unknown,
          }
        : call,
    );
    expect(calls).toEqual([WEATHER, NOTHING]);
    expect(toolsOf(at.provider.last.body, provider)).toEqual({
      names: ['weather', 'nothing'],
      schema: SCHEMA,
      choice: provider === 'anthropic' ? { type: 'any' } : 'required',
    });
    await completions.create({
      model: MODEL,
      messages: [
        { role: 'system', content: 'Be brief.' },
        ...ASKED.messages,
        choice!.message,
        { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
        { role: 'tool', tool_call_id: 'call_2', content: '' },
      ],
    });
    expect(at.provider.last.body['messages']).toHaveLength(provider === 'anthropic' ? 3 : 5);
  });

  test.each([false, true])('a client of Anthropic calls tools, stream %s', async (isStream) => {
    at.provider.script.said = saidWith({ text: 'Let me see.', tools: [WEATHER, NOTHING] });
    const tools = ['weather', 'nothing'].map((name) => ({
      name,
      description: 'A tool',
      input_schema: SCHEMA,
    }));
    const { messages } = at.anthropic();
    const request = { ...MESSAGE, tools, tool_choice: { type: 'any' as const } };
    const answer = isStream
      ? await messages.stream(request).finalMessage()
      : await messages.create(request);
    expect(answer).toMatchObject({
      content: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', ...WEATHER },
        { type: 'tool_use', ...NOTHING },
      ],
      stop_reason: 'tool_use',
    });
    expect(toolsOf(at.provider.last.body, provider)).toEqual({
      names: ['weather', 'nothing'],
      schema: SCHEMA,
      choice: provider === 'anthropic' ? { type: 'any' } : 'required',
    });
    const results = ['call_1', 'call_2'].map((id) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: 'Rain',
    }));
    await messages.create({
      ...MESSAGE,
      system: 'Be brief.',
      messages: [
        ...ASKED.messages,
        { role: 'assistant', content: answer.content },
        { role: 'user', content: [...results, { type: 'text', text: 'So?' }] },
      ],
    });
    expect(at.provider.last.body['messages']).toHaveLength(provider === 'anthropic' ? 3 : 6);
  });

  test('an answer has no more tokens than the settings allow', async () => {
    await at.use(provider, { tokensPerAnswer: 50 });
    try {
      await at.openAi().chat.completions.create(ASKED);
      expect(limitIn(at.provider.last.body)).toBe(50);
      await at.openAi().chat.completions.create({ ...ASKED, max_completion_tokens: 20 });
      expect(limitIn(at.provider.last.body)).toBe(20);
      await at.anthropic().messages.create(MESSAGE);
      expect(limitIn(at.provider.last.body)).toBe(50);
    } finally {
      await at.use(provider);
    }
  });

  test('an answer that was cut short says so', async () => {
    at.provider.script.said = saidWith({ stop: 'length' });
    const completion = await at.openAi().chat.completions.create(ASKED);
    expect(completion.choices[0]?.finish_reason).toBe('length');
    expect((await at.anthropic().messages.create(MESSAGE)).stop_reason).toBe('max_tokens');
  });

  test('a client that leaves ends the request to the provider', async () => {
    const never = Promise.withResolvers<void>().promise;
    at.provider.script.beforeEvent = (index) => (index < 3 ? undefined : never);
    const stream = await at.openAi().chat.completions.create({ ...ASKED, stream: true });
    for await (const chunk of stream) {
      expect(chunk.object).toBe('chat.completion.chunk');
      break;
    }
    await at.provider.left(1);
    const message = at.anthropic().messages.stream(MESSAGE);
    const left = thrown(message.done());
    await at.provider.received(2);
    message.abort();
    expect(await left).toBeInstanceOf(Anthropic.APIUserAbortError);
    await at.provider.left(2);
    at.provider.script.gate = never;
    const whole = new AbortController();
    const asked = thrown(at.openAi().chat.completions.create(ASKED, { signal: whole.signal }));
    await at.provider.received(3);
    whole.abort();
    expect(await asked).toBeInstanceOf(OpenAI.APIUserAbortError);
    await at.provider.left(3);
  });
});

test('the key of the provider is in no log', () => {
  expect(at.people.workspace.server.stderr).not.toContain(PROVIDER_KEY);
});

function saidWith(more: object): LlmWorkspace['provider']['script']['said'] {
  return { ...at.provider.script.said, ...more };
}

function limitIn(body: Readonly<Record<string, unknown>>): unknown {
  return body['max_completion_tokens'] ?? body['max_tokens'];
}

function toolsOf(body: Readonly<Record<string, unknown>>, provider: ProviderKind): object {
  const tools = body['tools'] as Record<string, unknown>[];
  const described = tools.map((tool) =>
    provider === 'anthropic'
      ? { name: tool['name'], schema: tool['input_schema'] }
      : {
          name: Object(tool['function']).name as unknown,
          schema: Object(tool['function']).parameters as unknown,
        },
  );
  return {
    names: described.map(({ name }) => name),
    schema: described[0]?.schema,
    choice: body['tool_choice'],
  };
}
