import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHATS, ChatScene, eventsOf } from '../support/chat-scene.ts';
import { calls, type LlmTurn, says } from '../support/llm-server.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';

const SETTINGS = '/api/chatai/settings';

let at: ChatScene;
let oak: string;
beforeAll(async () => {
  at = await ChatScene.start();
  oak = await at.uidOf('oak');
});
afterAll(() => at[Symbol.asyncDispose]());

interface Said {
  readonly support: readonly {
    readonly sentence: string;
    readonly start: number;
    readonly end: number;
    readonly verdict: string;
    readonly citations: readonly {
      readonly id: number;
      readonly uid: string;
      readonly quote: string;
    }[];
  }[];
  readonly supportRate: number | null;
}

const verdictsOf = ({ support }: Said) => support.map(({ verdict }) => verdict);

const ANSWER =
  'Oaks grow for centuries [1]. They grow for 300 years [1]. Bob earns 4711 [1]. It is so [7]. Fine.';
const VERDICTS = ['supported', 'unsupported', 'unsupported', 'unsupported', 'unchecked'];

/** The judge says of each sentence what `said` does, and denies denials; what it was asked. */
function judged(turns: readonly LlmTurn[], said: (sentence: string) => object): () => string {
  let asked = '';
  at.script(...turns);
  const { turn } = at.provider.script;
  at.provider.script.turn = (request) => {
    if (request.body['model'] !== 'judge') return turn(request);
    const messages: { content: string }[] = Object(request.body).messages;
    asked = String(messages.at(-1)?.content);
    const { sentences }: { sentences: { number: number; text: string }[] } = JSON.parse(asked);
    const verdicts = sentences.map(({ number, text }) =>
      text.startsWith('It is not true that: ')
        ? { number, verdict: 'unsupported' }
        : { number, ...said(text) },
    );
    return says(JSON.stringify(verdicts));
  };
  return () => asked;
}

test('says of each sentence whether its citations support it, when it is said and later', async () => {
  const answer = await at.looksUp('ann', 'oak', ANSWER);
  expect(verdictsOf(answer)).toEqual(VERDICTS);
  expect(answer.supportRate).toBe(0.25);
  for (const { sentence, start, end } of answer.support) {
    expect(ANSWER.slice(start, end)).toBe(sentence);
  }
  expect(answer.support[0].citations).toEqual([
    { id: 1, uid: oak, quote: 'Oaks grow for centuries.' },
  ]);
  expect(JSON.stringify(answer.support)).not.toContain('What Bob earns');
  const kept = Object(await at.ok('ann', 'GET', `${CHATS}/${answer.chatUID}`)).messages.at(-1);
  const { support, supportRate, supportJudge } = answer;
  expect(kept).toMatchObject({ support, supportRate, supportJudge });
});

test('in a stream it comes with the last events, after all of the text', async () => {
  at.script(calls(['find', { name: 'oak' }]), says(ANSWER));
  const told = await Array.fromAsync(eventsOf(await at.stream('ann', { message: 'How old?' })));
  const events = told.map(({ event }) => event);
  expect(events.lastIndexOf('delta')).toBeLessThan(events.indexOf('result'));
  const result = told.find(({ event }) => event === 'result')?.data;
  expect(verdictsOf(Object(result))).toEqual(VERDICTS);
});

test('of what may not be read any more, nothing is left, and it supports nothing', async () => {
  const note = { type: 'Note', key: 'birch' };
  await at.ingest({
    op: 'addOrUpdate',
    ...note,
    fields: { Title: 'Birch', Text: 'Birches are white.' },
  });
  const { chatUID, support } = await at.looksUp('ann', 'birch', 'Birches are white [1].');
  expect(support).toMatchObject([
    { verdict: 'supported', citations: [{ quote: 'Birches are white.' }] },
  ]);
  await at.ingest({ op: 'restrict', node: note, user: { uid: at.people.uid('bob') } });
  const kept = Object(await at.ok('ann', 'GET', `${CHATS}/${chatUID}`)).messages.at(-1);
  expect(kept).toMatchObject({
    support: [{ verdict: 'unsupported', citations: [] }],
    supportRate: 0,
  });
  expect(JSON.stringify(kept.support)).not.toContain('white.');
});

test('a judge decides what no rule can, by quotes that are found', async () => {
  const judge = { provider: 'openai-compatible', model: 'judge' };
  await at.ok('admin', 'PUT', SETTINGS, { judge });
  const answer = 'Oaks become very old [1]. Oaks are short-lived [1]. Oaks grow for 300 years [1].';
  const asked = judged([calls(['find', { name: 'oak' }]), says(answer)], (text) => ({
    verdict: 'supported',
    quotes: [
      {
        id: 1,
        quote: text.includes('short') ? 'Oaks live for a day.' : 'Oaks grow for centuries.',
      },
    ],
  }));
  const said = await at.answered('ann', { message: 'How old?' });
  expect(verdictsOf(said)).toEqual(['supported', 'unsupported', 'unsupported']);
  expect(said.supportJudge).toEqual({ model: 'judge', outcome: 'complete', code: null });
  expect(Object(at.provider.last.body).model).toBe('judge');
  // The rules refute the number: the judge is not asked about it.
  expect(asked()).not.toContain('300 years');
  expect(asked()).toContain('Oaks grow for centuries.');
});

test('a judge delays neither the first word nor any other: it is asked after the text', async () => {
  const gate = Promise.withResolvers<void>();
  judged([calls(['find', { name: 'oak' }]), says('Oaks become very old [1].')], () => ({
    verdict: 'supported',
    quotes: [{ id: 1, quote: 'Oaks grow for centuries.' }],
  }));
  const { turn } = at.provider.script;
  at.provider.script.turn = (request) =>
    request.body['model'] === 'judge' ? { ...turn(request), gate: gate.promise } : turn(request);
  const seen: string[] = [];
  let said = '';
  for await (const { event, data } of eventsOf(await at.stream('ann', { message: 'How old?' }))) {
    seen.push(event);
    if (event === 'delta') said += String(Object(data).text);
    // Its answer waits for the whole text to have arrived.
    if (said === 'Oaks become very old [1].') gate.resolve();
    if (event === 'result') expect(verdictsOf(Object(data))).toEqual(['supported']);
  }
  expect(said).toBe('Oaks become very old [1].');
  expect(seen.slice(-2)).toEqual(['result', 'done']);
});

test('a judge that fails leaves what the rules say, and the answer says so', async () => {
  at.script(calls(['find', { name: 'oak' }]), says('Oaks grow for centuries [1].'), says('Hm.'));
  const said = await at.answered('ann', { message: 'How old?' });
  expect(verdictsOf(said)).toEqual(['supported']);
  expect(said.supportJudge).toEqual({
    model: 'judge',
    outcome: 'failed',
    code: 'llm_misconfigured',
  });
  await at.ok('admin', 'PUT', SETTINGS, { judge: null });
});

test('a tool of MCP that asks an agent tells what its answer rests on', async () => {
  const agent = { name: 'guide', instructions: 'You find notes.', tools: ['find'] };
  await at.ok('admin', 'POST', '/api/chatai/agents', agent);
  const code = `export const input = z.object({ question: z.string() });
export default async ({ body, ai }: Scope<typeof input>) => ai.runAgent('guide', body.question);`;
  await at.endpoint('asks-guide', code, { isReadOnly: true });
  at.script(calls(['find', { name: 'oak' }]), says(ANSWER));
  const { url } = at.people.workspace.server;
  await using mcp = await connectMcp(url, at.people.token('ann'));
  const { isError, value } = await callTool(mcp, 'asks-guide', { question: 'How old are oaks?' });
  expect(isError).toBe(false);
  const { support, supportRate, citations } = Object(value);
  expect([verdictsOf({ support, supportRate }), supportRate]).toEqual([VERDICTS, 0.25]);
  expect(support[0].citations).toEqual([{ id: 1, uid: oak, quote: 'Oaks grow for centuries.' }]);
  expect(citations).toMatchObject([{ id: 1, uid: oak }]);
});

test('an agent cites and is checked as well', async () => {
  const agent = { name: 'finder', instructions: 'You find notes.', tools: ['find'] };
  await at.ok('admin', 'POST', '/api/chatai/agents', agent);
  at.script(calls(['find', { name: 'oak' }]), says(ANSWER));
  const run = Object(
    await at.ok('ann', 'POST', '/api/chatai/agents/finder/run', { message: 'Find the oak.' }),
  );
  expect(verdictsOf(run)).toEqual(VERDICTS);
  expect(run.citations).toMatchObject([{ id: 1, uid: oak }]);
  const kept = Object(await at.ok('ann', 'GET', `/api/chatai/agent-runs/${run.UID}`));
  const { citations, support, supportRate } = run;
  expect(kept).toMatchObject({ citations, support, supportRate });
});
