import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatScene, eventsOf, offeredTo, sentTo } from '../support/chat-scene.ts';
import { EmbeddingServer } from '../support/embedding-server.ts';
import { calls, says } from '../support/llm-server.ts';
import { PROVIDER_KEY, type ProviderKind } from '../support/llm-workspace.ts';

const OAK = calls(['find', { name: 'oak' }]);
const TOOLS_MAX = 24;

let at: ChatScene;
beforeAll(async () => {
  at = await ChatScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());

async function use(provider: ProviderKind): Promise<void> {
  const chat = { provider, baseUrl: at.provider.url, model: 'large', apiKey: PROVIDER_KEY };
  await at.ok('admin', 'PUT', '/api/chatai/providers', { chat });
}

const bodies = () => at.provider.requests.map(({ body }) => Object(body));

test('the first word arrives before the model has said the second', async () => {
  const arrived = Promise.withResolvers<void>();
  const said = says('Oaks grow for centuries [1]. They grow for 300 years [1].');
  at.script(OAK, { ...said, beforeEvent: (index) => (index < 2 ? undefined : arrived.promise) });
  const verdicts: string[] = [];
  for await (const { event, data } of eventsOf(await at.stream('ann', { message: 'How old?' }))) {
    if (event === 'delta') arrived.resolve();
    if (event !== 'result') continue;
    verdicts.push(...Object(data).support.map((one: { verdict: string }) => one.verdict));
  }
  expect(verdicts).toEqual(['supported', 'unsupported']);
});

describe.each<ProviderKind>(['openai-compatible', 'anthropic'])('a provider of %s', (provider) => {
  beforeAll(() => use(provider));
  afterAll(() => use('openai-compatible'));

  test.each([
    { of: 'steps', limits: { steps: 2 } },
    { of: 'tool-calls', limits: { toolCalls: 1 } },
    { of: 'tokens', limits: { tokens: 10_000 } },
  ])('is asked without tools when an agent is at its limit of $of', async ({ of, limits }) => {
    const name = `short-${of}-${provider}`;
    const agent = { name, instructions: 'You find.', tools: ['find'], limits };
    await at.ok('admin', 'POST', '/api/chatai/agents', agent);
    // So long that no other answer like it fits.
    const said = { ...OAK.said!, inputTokens: of === 'tokens' ? 6_000 : 11 };
    at.script({ said }, says('An oak [1].'));
    const path = `/api/chatai/agents/${name}/run`;
    const run = Object(await at.ok('ann', 'POST', path, { message: 'Find the oak.' }));
    expect(run).toMatchObject({ status: 'Completed', result: 'An oak [1].' });
    const [first, last, ...more] = bodies();
    expect(more).toEqual([]);
    expect(first.tools).toHaveLength(1);
    if (provider === 'anthropic') expect(last.tool_choice).toEqual({ type: 'none' });
    else expect([last.tools, last.tool_choice]).toEqual([undefined, undefined]);
  });

  test('reads of each step what it has not read before', async () => {
    at.script(OAK, calls(['find', { name: 'elm' }]), says('Trees [1][2].'));
    await at.answered('ann', { message: 'What of them?' });
    const asked = bodies();
    expect(asked).toHaveLength(3);
    for (const body of asked) expect(marksIn(body)).toBe(provider === 'anthropic' ? 2 : 0);
    const texts = asked.map(({ tools, system, messages }) => ({
      head: plain([tools, system]),
      messages: plain(messages).slice(0, -1),
    }));
    for (const [step, { head, messages }] of texts.entries()) {
      const before = texts[step - 1];
      if (before === undefined) continue;
      expect(head).toBe(before.head);
      expect(messages.startsWith(before.messages)).toBe(true);
    }
    // The last block of the instructions and of the messages is marked.
    if (provider !== 'anthropic') return;
    const [{ system, messages }] = asked;
    expect(system.at(-1).cache_control).toEqual({ type: 'ephemeral' });
    expect(messages.at(-1).content.at(-1).cache_control).toEqual({ type: 'ephemeral' });
  });
});

test('is told of the workspace also as an agent without tools', async () => {
  await at.ok('admin', 'PUT', '/api/chatai/settings', { instructions: 'We plant trees.' });
  const agent = { name: 'plain', instructions: 'Be short.', tools: [] };
  await at.ok('admin', 'POST', '/api/chatai/agents', agent);
  at.script(says('Yes.'));
  await at.ok('ann', 'POST', '/api/chatai/agents/plain/run', { message: 'Do you?' });
  const [system] = sentTo(at.provider);
  for (const part of ['Be short.', 'We plant trees.', '- Note, ']) {
    expect(system?.content).toContain(part);
  }
  // There is nothing that it could cite.
  expect(system?.content).not.toContain('[1]');
  await at.ok('admin', 'PUT', '/api/chatai/settings', { instructions: '' });
});

test('is told of a failure in our words', async () => {
  const throws = `export const input = z.object({});
export default async () => { throw new TypeError('x is not iterable in /srv/secret.ts'); };`;
  await at.endpoint('breaks', throws, { isReadOnly: true });
  at.script(calls(['nothing', {}], ['find', { name: 7 }], ['breaks', {}]), says('I could not.'));
  await at.answered('ann', { message: 'Hello', tools: ['find', 'breaks'] });
  const told = sentTo(at.provider).filter(({ role }) => role === 'tool');
  expect(told.map(({ content }) => content.split(':')[0])).toEqual([
    'tool_not_found',
    'invalid_request',
    'endpoint_failed',
  ]);
  expect(JSON.stringify(told)).not.toMatch(/AI_|Zod|NoSuchTool|node_modules|\.ts:/);
});

test('is offered at most 24 tools: those that fit by words or meaning, and those made for it', async () => {
  const code = `export const input = z.object({});
export default async () => 1;`;
  for (let number = 0; number < TOOLS_MAX; number++) {
    await at.endpoint(`counts-item-${number}`, code, { isReadOnly: true });
  }
  await at.endpoint('zebra-stripes', code, { isReadOnly: true });
  at.script(says('Many.'));
  await at.answered('ann', { message: 'How many stripes has a zebra?' });
  const offered = offeredTo(at.provider);
  expect(offered).toHaveLength(TOOLS_MAX);
  expect(offered).toContain('zebra-stripes');

  const offeredFor = async (message: string): Promise<string[]> => {
    at.script(says('Many.'));
    await at.answered('ann', { message });
    expect(offeredTo(at.provider)).toHaveLength(TOOLS_MAX);
    return offeredTo(at.provider);
  };
  expect(await offeredFor('Xyz?')).not.toContain('zebra-stripes');
  // What somebody wrote for models goes before others that fit as little.
  const written = `// trellis: tool "Tells a joke."\n${code}`;
  await at.endpoint('zz-jokes', written, { isReadOnly: true });
  expect(await offeredFor('Xyz?')).toContain('zz-jokes');
  // And what is close by its meaning, where no word fits.
  const described = { isReadOnly: true, description: 'Nonphotovoltaics' };
  await at.endpoint('zz-power', code, described);
  expect(await offeredFor('Photovoltaics?')).not.toContain('zz-power');
  await using server = await EmbeddingServer.start();
  const embeddings = { provider: 'openai-compatible', baseUrl: server.url, model: 'vectors' };
  await at.ok('admin', 'PUT', '/api/chatai/providers', { embeddings });
  expect(await offeredFor('Photovoltaics?')).toContain('zz-power');
  expect(server.texts).toContain('Nonphotovoltaics');
  await at.ok('admin', 'PUT', '/api/chatai/providers', { embeddings: null });
});

/** As text, without the marks of what is to be kept. */
function plain(value: unknown): string {
  return JSON.stringify(value, (key, one: unknown) => (key === 'cache_control' ? undefined : one));
}

function marksIn(value: unknown): number {
  return JSON.stringify(value).split('"cache_control"').length - 1;
}
