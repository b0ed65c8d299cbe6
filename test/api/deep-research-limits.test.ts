import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { ResearchSettingsChange } from '@trellis/contract/shapes/deep-research.ts';
import { calls, says, type LlmServer, type LlmTurn } from '../support/llm-server.ts';
import {
  bookAskedOf,
  phaseOf,
  research,
  ResearchedLibrary,
  type ResearchTurn,
} from '../support/researched-library.ts';

let library: ResearchedLibrary;
let provider: LlmServer;
let ann: TrellisClient;
let admin: TrellisClient;
beforeAll(async () => {
  library = await ResearchedLibrary.start();
  const { people } = library.at;
  await people.add('bob');
  await people.add('guest', { isGuest: true });
  await people.add('watcher', { isReadOnlyAdmin: true });
  provider = library.at.provider;
  [ann, admin] = [library.client('ann'), library.client('admin')];
});
afterAll(() => library[Symbol.asyncDispose]());
afterEach(async () => {
  await library.cancelAll();
  await admin.deepResearch.putSettings({ limits: NOTHING_SET, researchers: [] });
});

const SETTINGS = '/api/chatai/deep-research/settings';
const BROKEN = { status: 500 };
const named = (name: string) => ({ name, instructions: 'Look closely.' });
const ONE = named('One');
const NOTHING_SET = { queued: 0, running: 0, runsPerUser: 0, steps: 0, tokens: 0, minutes: 0 };
const never: LlmTurn = { gate: new Promise<void>(() => {}) };

/** A research of Ann's to its end: its job, and the message that it has become. */
async function researched(turn: ResearchTurn, change: ResearchSettingsChange = {}) {
  await admin.deepResearch.putSettings(change);
  const chatUID = await library.chat('ann');
  provider.script.turn = turn;
  const { id } = await ann.deepResearch.start({ chatUID, question: 'How long?' });
  const job = await library.end('ann', id);
  const message = await library.lastMessage('ann', chatUID);
  return { job, message, log: (await admin.jobs.get(id)).log.map(({ text }) => text) };
}

const ofResearcher = (name: string, turn: LlmTurn): ResearchTurn => {
  const otherwise = research();
  return (request) =>
    JSON.stringify(request.body).includes(`You are the researcher \\"${name}\\"`)
      ? turn
      : otherwise(request);
};

describe('settings', () => {
  test('are the defaults until they are set, and again after a zero', async () => {
    const { limits, defaults, researchers } = await admin.deepResearch.getSettings();
    expect(limits).toEqual(defaults);
    const change = { limits: { steps: 4, queued: 7 }, researchers: [ONE] };
    const changed = await admin.deepResearch.putSettings(change);
    expect(changed.limits).toEqual({ ...defaults, steps: 4, queued: 7 });
    expect(changed.researchers).toEqual([ONE]);
    expect(changed.defaults).toEqual(defaults);
    const restored = await admin.deepResearch.putSettings({ limits: { steps: 0 } });
    expect(restored.limits).toEqual({ ...defaults, queued: 7 });
    expect(restored.researchers).toEqual([ONE]);
    const emptied = await admin.deepResearch.putSettings({ researchers: [] });
    expect(emptied.researchers).toEqual(researchers);
    expect(emptied.limits.queued).toBe(7);
    expect(await library.client('watcher').deepResearch.getSettings()).toEqual(emptied);
  });

  test.each([
    ['too few steps', { limits: { steps: 3 } }],
    ['less than nothing', { limits: { queued: -1 } }],
    ['a part of a minute', { limits: { minutes: 0.5 } }],
    ['too many', { limits: { running: 101 } }],
    ['another limit', { limits: { hours: 1 } }],
    ['a name twice', { researchers: [ONE, ONE] }],
    ['no instructions', { researchers: [{ name: 'One', instructions: ' ' }] }],
    ['too many researchers', { researchers: Array.from({ length: 9 }, (_, n) => named(`${n}`)) }],
  ])('%s is refused', async (_what, change) => {
    const outcome = await library.at.people.outcome('admin', 'POST', SETTINGS, change);
    expect(outcome).toEqual([400, 'invalid_request']);
  });

  test('say who does the research', async () => {
    const { message } = await researched(
      (request) => {
        const text = JSON.stringify(request.body);
        if (phaseOf(request) === 'plan')
          return says(text.includes('Look closely.') ? '["one"]' : '');
        return phaseOf(request) === 'study'
          ? says(`Only ${bookAskedOf(request)}, by ${/researcher \\"(\w+)/.exec(text)?.[1]}.`)
          : says(/Only one, by \w+/.exec(text)?.[0] ?? 'no notes');
      },
      { researchers: [ONE] },
    );
    expect(message).toMatchObject({ text: 'Only one, by One', ended: 'answer' });
  });
});

describe('who may ask, and how often', () => {
  test('no guest, and nobody without a provider', async () => {
    const start = { chatUID: 'none', question: 'x' };
    const outcome = (user: string, body: object) =>
      library.at.people.outcome(user, 'POST', '/api/chatai/deep-research/start', body);
    expect(await outcome('guest', start)).toEqual([403, 'forbidden']);
    expect(await outcome('ann', start)).toEqual([404, 'chat_not_found']);
    expect(await outcome('ann', { ...start, question: ' ' })).toEqual([400, 'invalid_request']);
    const chatUID = await library.chat('ann');
    await library.ok('PUT', '/api/chatai/providers', { chat: null });
    expect(await outcome('ann', { ...start, chatUID })).toEqual([409, 'llm_not_configured']);
    await library.at.use('openai-compatible');
  });

  test('so many of a user, and so many of all', async () => {
    await admin.deepResearch.putSettings({ limits: { running: 1, queued: 1, runsPerUser: 1 } });
    const chats = [await library.chat('ann'), await library.chat('ann'), await library.chat('bob')];
    const another = await library.chat('admin');
    provider.script.turn = research({ plan: never });
    const start = (user: string, chatUID = '') =>
      library.client(user).deepResearch.start({ chatUID, question: 'x' });
    expect(await start('ann', chats[0])).toMatchObject({ state: 'running' });
    const full = { status: 429, code: 'research_queue_full' };
    await expect(start('ann', chats[1])).rejects.toMatchObject(full);
    expect(await start('bob', chats[2])).toMatchObject({ state: 'queued' });
    await expect(start('admin', another)).rejects.toMatchObject(full);
    await admin.deepResearch.putSettings({ limits: { running: 2 } });
    await provider.received(2);
    expect(await start('admin', another)).toMatchObject({ state: 'queued' });
    const { running, queued } = await admin.deepResearch.getSettings();
    expect([running.length, queued.length]).toEqual([2, 1]);
  });
});

describe('a limit ends the studies, and the report says which', () => {
  test('steps', async () => {
    const { job, message } = await researched(research(), { limits: { steps: 4 } });
    expect(job).toMatchObject({ state: 'succeeded' });
    expect(message?.text).toMatch(/^Two is long, one is short \[\d\].*limit of 4 steps;.*\*$/s);
    expect(message).toMatchObject({ ended: 'steps', citations: [{ text: expect.any(String) }] });
    expect(provider.requests.map(phaseOf)).toEqual(['plan', 'study', 'study', 'report']);
  });

  test('tokens', async () => {
    const saying = { ...calls(['find', { isbn: 'one' }]).said!, text: 'Until now: nothing.' };
    const { job, message } = await researched(research({ study: { said: saying } }), {
      limits: { tokens: 60 },
    });
    expect(job).toMatchObject({ state: 'succeeded' });
    expect(message).toMatchObject({ ended: 'tokens' });
    expect(message?.text).toMatch(/^Two is long.*limit of 60 tokens;/s);
    expect(JSON.stringify(provider.last.body)).toContain('Until now: nothing.');
  });

  test('tokens that the plan has used up', async () => {
    const { job, message } = await researched(research(), { limits: { tokens: 20 } });
    expect(job).toMatchObject({ state: 'succeeded' });
    expect(message?.text).toMatch(/^Nothing was found out\..*limit of 20 tokens;/s);
    expect(provider.requests).toHaveLength(1);
  });
});

describe('a provider that fails', () => {
  test('one researcher is a note that says so', async () => {
    const { job, message, log } = await researched(ofResearcher('Doubts', { fault: BROKEN }));
    expect(job).toMatchObject({ state: 'succeeded' });
    expect(message).toMatchObject({ ended: 'answer', citations: [{ uid: expect.any(String) }] });
    expect(log).toEqual(expect.arrayContaining(['Doubts: failed with llm_unavailable']));
    expect(JSON.stringify(provider.last.body)).toContain('This could not be studied');
  });

  test('all of them, or the plan, is a research that has failed', async () => {
    for (const phase of ['study', 'plan']) {
      const { job, message } = await researched(research({ [phase]: { fault: BROKEN } }));
      expect(job).toMatchObject({ state: 'failed', error: { code: 'llm_unavailable' } });
      expect(message).toMatchObject({ ended: 'failed', error: { code: 'llm_unavailable' } });
    }
  });

  test('the report leaves the notes', async () => {
    const { job, message } = await researched(research({ report: { fault: BROKEN } }));
    expect(job).toMatchObject({ state: 'succeeded' });
    expect(message?.text).toMatch(/^This could not be written: .* These are the notes\./);
    expect(message?.text).toMatch(/## one\n\n\*Facts\*\n\none is known \[1\]\./);
    expect(message).toMatchObject({ citations: [{ id: 1 }, { id: 2 }] });
  });

  test('a plan that is none has each researcher study the whole', async () => {
    const { job } = await researched(research({ plan: says('I would rather not.') }));
    expect(job).toMatchObject({ state: 'succeeded' });
    const questions = provider.requests.filter((one) => phaseOf(one) === 'study').map(bookAskedOf);
    expect(new Set(questions)).toEqual(new Set(['How']));
  });
});
