import { describe, expect, it } from 'vitest';
import { problemOf } from '#graph/testing/test-graph.ts';
import { anthropic } from './anthropic-protocol.ts';
import { exchangeOf, type StreamWriter } from './exchange.ts';
import type { JsonObject } from './json-members.ts';
import type { Protocol } from './llm-call.ts';
import { openAi } from './openai-protocol.ts';

const IMAGE = 'data:image/png;base64,aGVq';
const SCHEMA = { type: 'object', properties: {} };

const ANSWERING = { request: {}, now: 0 };

const anthropicRequest = (request: JsonObject, tokensDefault: number): JsonObject =>
  anthropic.writeRequest(openAi.readRequest(request), tokensDefault);
const openAiRequest = (request: JsonObject): JsonObject =>
  openAi.writeRequest(anthropic.readRequest(request), 50);
const anthropicAnswer = (completion: JsonObject): JsonObject =>
  anthropic.writeAnswer(openAi.readAnswer(completion), ANSWERING);
const openAiAnswer = (message: JsonObject): JsonObject =>
  openAi.writeAnswer(anthropic.readAnswer(message), ANSWERING);

/** What a client gets of a stream of the other protocol. */
function writerFor(client: Protocol): { write(event: JsonObject): string; end(): string } {
  const provider = client === 'openai' ? 'anthropic' : 'openai';
  const request = { model: 'm', max_tokens: 1, messages: [], stream: true };
  const options = { client, provider, tokensPerAnswer: 50, now: 0 } as const;
  const writer: StreamWriter = exchangeOf(request, options).writer();
  return { write: (event) => writer.write(event, ''), end: () => writer.end() };
}

describe('a request of OpenAI as one of Anthropic', () => {
  it('has its turns, its instructions and its limits', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Look:' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: IMAGE } }] },
      { role: 'developer', content: [{ type: 'text', text: 'And kind.' }] },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/i' } }] },
      { role: 'assistant', content: 'A dog' },
    ];
    const more = { temperature: 1.7, top_p: 0.5, stop: 'END', user: 'u', stream: true };
    expect(anthropicRequest({ model: 'm', messages, max_tokens: 9, seed: 4, ...more }, 50)).toEqual(
      {
        model: 'm',
        max_tokens: 9,
        system: [
          { type: 'text', text: 'Be brief.' },
          { type: 'text', text: 'And kind.' },
        ],
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look:' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVq' } },
              { type: 'image', source: { type: 'url', url: 'https://a.example/i' } },
            ],
          },
          { role: 'assistant', content: [{ type: 'text', text: 'A dog' }] },
        ],
        temperature: 1,
        top_p: 0.5,
        stop_sequences: ['END'],
        metadata: { user_id: 'u' },
        stream: true,
      },
    );
  });

  it.each([
    [undefined, { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', function: { name: 't' } },
      { type: 'tool', name: 't' },
    ],
  ])('chooses tools: %j', (choice, expected) => {
    const tools = [{ type: 'function', function: { name: 't' } }];
    const body = { model: 'm', messages: [], tools, tool_choice: choice };
    expect(anthropicRequest(body, 50)).toMatchObject({
      max_tokens: 50,
      tools: [{ name: 't', input_schema: SCHEMA }],
      tool_choice: expected,
    });
    const serial = { ...body, parallel_tool_calls: false };
    const isSerial = expected.type === 'none' ? {} : { disable_parallel_tool_use: true };
    expect(anthropicRequest(serial, 50)['tool_choice']).toEqual({ ...expected, ...isSerial });
  });

  it.each([
    [{ functions: [{}] }],
    [{ tools: [{ type: 'custom' }] }],
    [{ tools: [{ type: 'function' }], tool_choice: { type: 'custom' } }],
    [{ messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }],
    [{ messages: [{ role: 'function', content: '' }] }],
    [{ a_member_of_tomorrow: 1 }],
    [{ modalities: ['text', 'audio'] }],
    [{ messages: [{ role: 'user', content: { text: 'Hello' } }] }],
    [{ messages: [{ role: 'user', content: 'Hello', tool_calls: [{}] }] }],
    [{ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', more: 1 }] }] }],
    [{ tools: [{ type: 'function', function: { name: 't', more: 1 } }] }],
    [
      {
        messages: [
          { role: 'assistant', tool_calls: [{ function: { name: 't', arguments: '{"a' } }] },
        ],
      },
    ],
  ])('is refused when it has no words for %j', async (more) => {
    const problem = await problemOf(async () => anthropicRequest({ model: 'm', ...more }, 50));
    expect(problem.code).toBe('llm_request_refused');
  });
});

describe('a request of Anthropic as one of OpenAI', () => {
  it('has its turns, its instructions and its limits', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'aGVq' };
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          { type: 'image', source },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'tool_use', id: 'c', name: 't', input: { a: 1 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'So?' },
          { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'yes' }] },
        ],
      },
    ];
    const system = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }];
    const more = { stop_sequences: ['END'], top_k: 4, metadata: { user_id: 'u' } };
    expect(openAiRequest({ model: 'm', max_tokens: 9, system, messages, ...more })).toEqual({
      model: 'm',
      max_completion_tokens: 9,
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look:' },
            { type: 'image_url', image_url: { url: IMAGE } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c', type: 'function', function: { name: 't', arguments: '{"a":1}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c', content: 'yes' },
        { role: 'user', content: 'So?' },
      ],
      stop: ['END'],
      user: 'u',
    });
  });

  it.each([
    [{ type: 'auto', disable_parallel_tool_use: true }, 'auto', false],
    [{ type: 'any' }, 'required', undefined],
    [{ type: 'none' }, 'none', undefined],
    [{ type: 'tool', name: 't' }, { type: 'function', function: { name: 't' } }, undefined],
  ])('chooses tools: %j', (choice, expected, parallel) => {
    const tools = [{ name: 't', input_schema: SCHEMA }];
    const body = openAiRequest({ model: 'm', messages: [], tools, tool_choice: choice });
    expect(body).toMatchObject({
      tools: [{ type: 'function', function: { name: 't', parameters: SCHEMA } }],
      tool_choice: expected,
    });
    expect(body['parallel_tool_calls']).toBe(parallel);
  });

  it.each([
    [{ mcp_servers: [{}] }],
    [{ a_member_of_tomorrow: 1 }],
    [{ system: [{ type: 'image' }] }],
    [{ messages: [{ role: 'user', content: { text: 'Hello' } }] }],
    [{ messages: [{ role: 'user', content: 'Hello', history: [{}] }] }],
    [{ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', more: 1 }] }] }],
    [{ tools: [{ name: 't', defer_loading: true }] }],
    [{ output_config: { format: { type: 'grammar' } } }],
    [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }],
    [{ messages: [{ role: 'user', content: [{ type: 'document' }] }] }],
    [{ messages: [{ role: 'assistant', content: [{ type: 'server_tool_use' }] }] }],
  ])('is refused when it has no words for %j', async (more) => {
    const problem = await problemOf(async () => openAiRequest({ model: 'm', ...more }));
    expect(problem.code).toBe('llm_request_refused');
  });
});

describe('why an answer ended', () => {
  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
  ])('%s of Anthropic is %s of OpenAI', (reason, expected) => {
    const { choices } = openAiAnswer({ content: [], stop_reason: reason });
    expect(choices).toMatchObject([{ finish_reason: expected, message: { content: null } }]);
  });

  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['tool_calls', 'tool_use'],
    ['content_filter', 'refusal'],
  ])('%s of OpenAI is %s of Anthropic', (reason, expected) => {
    const answer = anthropicAnswer({ choices: [{ message: {}, finish_reason: reason }] });
    expect(answer).toMatchObject({ stop_reason: expected, content: [] });
  });
});

describe('a refusal', () => {
  it('of OpenAI stays one for Anthropic, beside what was said before', () => {
    const message = { content: 'Well.', refusal: 'I will not.' };
    const answer = anthropicAnswer({ choices: [{ message, finish_reason: 'stop' }] });
    const texts = ['Well.', 'I will not.'].map((text) => ({ type: 'text', text }));
    expect(answer).toMatchObject({ stop_reason: 'refusal', content: texts });
  });

  it('of a stream as well', () => {
    const writer = writerFor('anthropic');
    const delta = { refusal: 'I will not.' };
    const said = writer.write({ choices: [{ delta, finish_reason: null }] });
    writer.write({ choices: [{ delta: {}, finish_reason: 'stop' }] });
    expect(said).toContain('I will not.');
    expect(writer.end()).toContain('"stop_reason":"refusal"');
  });

  it('in a conversation is sent on, as is a tool that failed', () => {
    const messages = [{ role: 'assistant', content: null, refusal: 'I will not.' }];
    const content = [{ type: 'text', text: 'I will not.' }];
    expect(anthropicRequest({ messages }, 1)['messages']).toEqual([{ role: 'assistant', content }]);
    const failed = { type: 'tool_result', tool_use_id: 't', content: 'No.', is_error: true };
    const asked = openAiRequest({ messages: [{ role: 'user', content: [failed] }] });
    expect(asked['messages']).toEqual([{ role: 'tool', tool_call_id: 't', content: 'Error: No.' }]);
  });
});

describe('a stream', () => {
  it('of OpenAI may leave out what others send: an index, a first chunk', () => {
    const writer = writerFor('anthropic');
    const call = { id: 'c', function: { name: 't', arguments: '{}' } };
    const choice = { delta: { tool_calls: [call] }, finish_reason: 'tool_calls' };
    const text = writer.write({ id: 'i', model: 'm', choices: [choice] }) + writer.end();
    expect([...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('of OpenAI whose tool calls are mixed is no use', async () => {
    const writer = writerFor('anthropic');
    const piece = (index: number, called: object) =>
      writer.write({ choices: [{ delta: { tool_calls: [{ index, function: called }] } }] });
    piece(0, { name: 'a', arguments: '{' });
    piece(1, { name: 'b', arguments: '{' });
    const problem = await problemOf(async () => piece(0, { arguments: '}' }));
    expect(problem.code).toBe('llm_misconfigured');
  });

  it('of Anthropic with what nobody knows yet goes on', () => {
    const writer = writerFor('openai');
    const events = [
      { type: 'message_start', message: { id: 'i', model: 'm' } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'something_new' },
    ];
    const text = events.map((event) => writer.write(event)).join('');
    expect(text.match(/data: /g)).toHaveLength(1);
    expect(writer.end()).toBe('data: [DONE]\n\n');
  });
});
