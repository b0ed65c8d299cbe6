import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { calls, inTurn, says } from '../support/llm-server.ts';
import { LlmWorkspace, MODEL, type ProviderKind, thrown } from '../support/llm-workspace.ts';

let at: LlmWorkspace;
beforeAll(async () => {
  at = await LlmWorkspace.start();
  await at.people.add('bob');
  await at.addToken('bob-openai', 'llm-openai', 'bob');
});
afterAll(() => at[Symbol.asyncDispose]());

const PROVIDERS: readonly ProviderKind[] = ['openai-compatible', 'anthropic'];
const SCHEMA = {
  type: 'object' as const,
  properties: { place: { type: 'string' } },
  required: ['place'],
  additionalProperties: false,
};
const TOOL = {
  type: 'function' as const,
  name: 'weather',
  description: 'Tells the weather.',
  parameters: SCHEMA,
  strict: true,
};
const ASKED = { model: MODEL, input: 'Hello?' };

describe.each(PROVIDERS)('with a provider that speaks %s', (provider) => {
  beforeAll(() => at.use(provider));
  beforeEach(() => at.provider.reset());

  test('a client of the Responses API gets an answer', async () => {
    const answer = await at.openAi().responses.create({ ...ASKED, instructions: 'Be brief.' });
    const { text } = at.provider.script.said;
    expect(answer).toMatchObject({
      object: 'response',
      status: 'completed',
      model: MODEL,
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
      usage: { input_tokens: 11, output_tokens: 5, total_tokens: 16 },
    });
    expect(answer.output_text).toBe(text);
    expect(JSON.stringify(at.provider.last.body)).toContain('Be brief.');
  });

  test('and a stream, which is the same response at its end', async () => {
    const stream = at.openAi().responses.stream(ASKED);
    const deltas: string[] = [];
    stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta));
    const answer = await stream.finalResponse();
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe(at.provider.script.said.text);
    expect(answer).toMatchObject({
      status: 'completed',
      output_text: at.provider.script.said.text,
      usage: { total_tokens: 16 },
    });
    const raw = await at.openAi().responses.create({ ...ASKED, stream: true });
    const told = await Array.fromAsync(raw);
    expect(told.map(({ sequence_number: number }) => number)).toEqual(told.map((_one, i) => i));
    expect([told[0]?.type, told.at(-1)?.type]).toEqual(['response.created', 'response.completed']);
  });

  test.each([false, true])(
    'it calls tools, and goes on with what they give (stream: %s)',
    async (isStream) => {
      at.provider.script.turn = inTurn(
        calls(['weather', { place: 'Örebro' }], ['weather', { place: 'Oslo' }]),
        says('Cold.'),
      );
      const client = at.openAi();
      const ask = async (input: unknown) => {
        const body = { model: MODEL, input: input as typeof ASKED.input, tools: [TOOL] };
        return isStream
          ? client.responses.stream(body).finalResponse()
          : client.responses.create(body);
      };
      const question = { role: 'user', content: [{ type: 'input_text', text: 'How is it?' }] };
      const first = await ask([question]);
      const called = first.output.filter(({ type }) => type === 'function_call');
      expect(called).toMatchObject([
        { name: 'weather', arguments: '{"place":"Örebro"}', status: 'completed' },
        { name: 'weather', arguments: '{"place":"Oslo"}' },
      ]);
      const results = called.map((call) => ({
        type: 'function_call_output',
        call_id: Object(call).call_id,
        output: '-12 °C',
      }));
      const last = await ask([question, ...first.output, ...results]);
      expect(last.output_text).toBe('Cold.');
      const { messages, tools } = Object(at.provider.last.body);
      expect(tools).toHaveLength(1);
      // The calls of one answer are one message; so are results, where the protocol asks for it.
      const roles = messages.map(({ role }: { role: string }) => role);
      expect(roles).toEqual(
        provider === 'anthropic'
          ? ['user', 'assistant', 'user']
          : ['user', 'assistant', 'tool', 'tool'],
      );
    },
  );

  test('an answer that was cut short says so', async () => {
    at.provider.script.turn = () => says('And so', { stop: 'length' });
    const why = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    expect(await at.openAi().responses.create({ ...ASKED, max_output_tokens: 7 })).toMatchObject(
      why,
    );
    const { body } = at.provider.last;
    expect(body['max_tokens'] ?? body['max_completion_tokens']).toBe(7);
    const told = await Array.fromAsync(
      await at.openAi().responses.create({ ...ASKED, stream: true }),
    );
    expect(told.at(-1)).toMatchObject({ type: 'response.incomplete', response: why });
  });

  test('JSON that fits a schema is asked for in the words of the provider', async () => {
    at.provider.script.turn = () => says('{"place":"Oslo"}');
    const named = { name: 'place', schema: SCHEMA, strict: true };
    const format = { type: 'json_schema' as const, ...named };
    const given = await at.openAi().responses.parse({ ...ASKED, text: { format } });
    expect(JSON.parse(given.output_text)).toEqual({ place: 'Oslo' });
    const schemaSent = () => {
      const { output_config: output, response_format: wanted } = Object(at.provider.last.body);
      return output?.format.schema ?? wanted?.json_schema.schema;
    };
    expect(schemaSent()).toEqual(SCHEMA);
    const messages = [{ role: 'user' as const, content: 'Where?' }];
    await at.openAi().chat.completions.create({
      model: MODEL,
      messages,
      response_format: { type: 'json_schema', json_schema: named },
    });
    expect(schemaSent()).toEqual(SCHEMA);
    await at.anthropic().messages.create({
      model: MODEL,
      max_tokens: 10,
      messages,
      output_config: { format: { type: 'json_schema', schema: SCHEMA } },
    });
    expect(schemaSent()).toEqual(SCHEMA);
  });

  test('the models are read one by one, and tokens are counted', async () => {
    expect(await at.openAi().models.retrieve(MODEL)).toMatchObject({ id: MODEL, object: 'model' });
    expect(await at.anthropic().models.retrieve(MODEL)).toMatchObject({ id: MODEL, type: 'model' });
    expect(await thrown(at.openAi().models.retrieve('none'))).toMatchObject({ status: 404 });
    expect(await thrown(at.anthropic().models.retrieve('a/b'))).toMatchObject({ status: 404 });
    const messages = [{ role: 'user' as const, content: 'x'.repeat(4_000) }];
    const count = async () =>
      (await at.anthropic().messages.countTokens({ model: MODEL, messages })).input_tokens;
    // The scripted provider does not count, so it is estimated.
    expect(await count()).toBeGreaterThan(900);
    // Providers of the other protocol cannot be asked for it.
    at.provider.script.counted = 7;
    if (provider === 'anthropic') expect(await count()).toBe(7);
    else expect(await count()).toBeGreaterThan(900);
    const state = await at.people.as('admin', 'GET', '/api/llm/state');
    expect(state.json).not.toMatchObject({ status: 'failing' });
  });

  test('a message is referred to by its id, by its user alone', async () => {
    const ask = (token: string, more: object) =>
      at.openAi(token).responses.create({ ...ASKED, ...more });
    at.provider.script.turn = inTurn(says('I am first.'), says('I am second.'), says('Not kept.'));
    const [first, second, third] = [
      await ask('llm-openai', {}),
      await at.openAi().responses.stream(ASKED).finalResponse(),
      await ask('llm-openai', { store: false }),
    ].map(({ output }) => ({ type: 'item_reference', id: output[0]?.id ?? '' }));
    const input = [first, { role: 'user', content: 'And?' }, second];
    await ask('llm-openai', { input });
    const told = Object(at.provider.last.body).messages as { role: string; content: unknown }[];
    expect(told.map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant']);
    expect(JSON.stringify(told)).toMatch(/I am first\..*And\?.*I am second\./);
    const asked = at.provider.requests.length;
    const refused = { status: 400, code: 'llm_request_refused' };
    expect(await thrown(ask('llm-openai', { input: [third] }))).toMatchObject(refused);
    expect(await thrown(ask('bob-openai', { input: [first] }))).toMatchObject(refused);
    expect(at.provider.requests).toHaveLength(asked);
  });

  test.each([
    [{ previous_response_id: 'resp_1' }],
    [{ conversation: 'conv_1' }],
    [{ background: true }],
    [{ tools: [{ type: 'web_search' }] }],
    [{ a_member_of_tomorrow: 1 }],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }],
    [{ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }],
    [{ input: [{ role: 'user', content: 7 }] }],
    [{ input: [{ role: 'nobody', content: 'Hello' }] }],
    [{ input: [{ type: 'function_call', call_id: 'c', name: 'n', arguments: '[]' }] }],
    [{ text: { format: { type: 'json_object' } } }],
    [{ tool_choice: { type: 'web_search' }, tools: [TOOL] }],
  ])('is refused when it has no words for %j', async (more) => {
    const error = await thrown(at.openAi().responses.create({ ...ASKED, ...(more as object) }));
    expect(error).toMatchObject({ status: 400, code: 'llm_request_refused' });
    expect(at.provider.requests).toEqual([]);
  });
});

test('the wrong token, and a body without input, are refused', async () => {
  const send = (token: string, body: unknown) =>
    at.people.as(token, 'POST', '/api/llm/openai/v1/responses', body);
  expect((await send('llm-anthropic', ASKED)).status).toBe(403);
  expect((await send('ann', ASKED)).status).toBe(403);
  expect((await send('llm-openai', { model: MODEL })).status).toBe(400);
  expect((await send('llm-openai', { model: MODEL, input: [] })).status).toBe(400);
});
