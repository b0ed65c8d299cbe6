import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import { calls, says, type LlmServer } from '../support/llm-server.ts';
import { items } from '../support/people.ts';
import { phaseOf, research, ResearchedLibrary, type Phase } from '../support/researched-library.ts';

let library: ResearchedLibrary;
let provider: LlmServer;
let ann: TrellisClient;
let bob: TrellisClient;
let admin: TrellisClient;
beforeAll(async () => {
  library = await ResearchedLibrary.start();
  const { people } = library.at;
  await people.add('bob');
  await people.add('guest', { isGuest: true });
  provider = library.at.provider;
  [ann, bob, admin] = [library.client('ann'), library.client('bob'), library.client('admin')];
});
afterAll(() => library[Symbol.asyncDispose]());
afterEach(async () => {
  await library.cancelAll();
  await admin.deepResearch.putSettings({ limits: { running: 0, runsPerUser: 0 } });
});

const QUESTION = 'How long are the books, says Ann?';
/** An answer that never begins. */
const never = { gate: new Promise<void>(() => {}) };
const audited = async (chatUID: string) => {
  const found = items(await library.at.people.as('admin', 'GET', '/api/audit?take=1000'));
  return found.filter(({ target }) => Object(target).id === chatUID);
};

describe('a research', () => {
  test('is planned, studied side by side and reported, with sources', async () => {
    const chatUID = await library.chat('ann');
    provider.script.turn = research();
    const job = await ann.deepResearch.start({ chatUID, question: QUESTION });
    expect(job).toMatchObject({ kind: 'deep-research', state: 'running', isCancellable: true });
    const steps = new Set<string>();
    for await (const event of ann.jobs.watch(job.id)) {
      if (event.kind === 'job') steps.add(event.job.step);
    }
    expect(steps).toContain('Writing the report');
    expect(await ann.jobs.get(job.id)).toMatchObject({ state: 'succeeded', progress: 1 });

    const { messages, isBusy } = await ann.chats.get(chatUID);
    const [question, report] = messages.slice(-2);
    expect(isBusy).toBe(false);
    expect(question).toMatchObject({ role: 'user', text: QUESTION });
    expect(report).toMatchObject({
      role: 'assistant',
      text: 'Two is long [1], one is short [2]. Nobody knows more.',
      ended: 'answer',
      citations: [
        { id: 1, text: expect.stringContaining('Book ') },
        { id: 2, text: expect.stringContaining('Book ') },
      ],
      usage: { inputTokens: 66, outputTokens: 30 },
      support: [
        { sentence: 'Two is long [1], one is short [2].', citations: [{ id: 1 }, { id: 2 }] },
        { sentence: 'Nobody knows more.', verdict: 'unchecked' },
      ],
    });
    expect(provider.requests.map(phaseOf).toSorted()).toEqual([
      'plan',
      'report',
      ...Array<Phase>(4).fill('study'),
    ]);
    expect(JSON.stringify(provider.last.body)).toContain('two is known [');
    // A later question of the conversation goes on from the report.
    provider.script.turn = () => says('As said [2].');
    const later = await ann.chats.send({ chatUID, message: 'Sure?' });
    expect(later.citations).toHaveLength(1);
  });

  test('is in the list of its user and told over their WebSocket, not to others', async () => {
    const { url } = library.at.people.workspace.server;
    const listen = async (who: string) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/api/ws`);
      const heard: unknown[] = [];
      await new Promise((resolve) => {
        const token = library.at.people.token(who);
        socket.addEventListener('open', () => socket.send(JSON.stringify({ token })));
        socket.addEventListener('message', resolve, { once: true });
      });
      socket.addEventListener('message', ({ data }) => heard.push(JSON.parse(String(data))));
      return { heard, close: () => socket.close() };
    };
    const [annHears, bobHears] = [await listen('ann'), await listen('bob')];
    const chatUID = await library.chat('ann');
    provider.script.turn = research();
    const { id } = await ann.deepResearch.start({ chatUID, question: QUESTION });
    await library.end('ann', id);
    expect((await ann.jobs.list()).items[0]).toMatchObject({ id, state: 'succeeded' });
    expect((await bob.jobs.list()).items.filter((job) => job.id === id)).toEqual([]);
    const end = { type: 'JOB_CHANGED', job: expect.objectContaining({ id, state: 'succeeded' }) };
    await expect.poll(() => annHears.heard).toContainEqual(end);
    expect(annHears.heard.map((message) => Object(message).job.id)).toEqual(
      annHears.heard.map(() => id),
    );
    // One of his own comes after all that was told before.
    const { id: own } = await bob.deepResearch.start({
      chatUID: await library.chat('bob'),
      question: QUESTION,
    });
    await library.end('bob', own);
    await expect
      .poll(() => bobHears.heard.map((message) => Object(message).job))
      .toContainEqual(expect.objectContaining({ id: own, state: 'succeeded' }));
    expect(new Set(bobHears.heard.map((message) => Object(message).job.id))).toEqual(
      new Set([own]),
    );
    annHears.close();
    bobHears.close();
  });

  test('offers tools to researchers alone: those of its user that only read', async () => {
    const writes = `export const input = z.object({ isbn: z.string() });
export default async ({ body, graph }: Scope<typeof input>) => graph.addOrUpdate('Book', body.isbn, {});
`;
    await library.ok('POST', '/api/endpoints/create', { name: 'write', code: writes });
    const tool = { name: 'write_book', description: 'Writes a book.', endpoint: 'write' };
    await library.ok('POST', '/api/chatai/tools', tool);
    const chatUID = await library.chat('ann');
    const study = calls(['write_book', { isbn: 'three' }], ['find', { isbn: 'three' }]);
    provider.script.turn = research({ study });
    const { id } = await ann.deepResearch.start({ chatUID, question: QUESTION });
    await library.end('ann', id);
    const offered = (phase: Phase) => {
      const asked = provider.requests.find((request) => phaseOf(request) === phase);
      const tools = (asked?.body['tools'] ?? []) as { function: { name: string } }[];
      return tools.map(({ function: { name } }) => name);
    };
    expect(offered('study')).toContain('find');
    expect(offered('study')).not.toContain('write_book');
    expect([...offered('plan'), ...offered('report')]).toEqual([]);
    const books = await library.ok('POST', '/api/node/query', { type: 'Book' });
    expect(Object(books).total).toBe(2);
  });

  test('finds what its user may see', async () => {
    const node = { type: 'Book', key: 'hidden' };
    const book = { op: 'addOrUpdate', ...node, fields: { Title: 'For Bob alone' } };
    const user = { uid: library.at.people.uid('bob') };
    const operations = [book, { op: 'restrict', node, user }];
    await library.ok('POST', '/api/ingest', { operations });
    for (const [name, sources] of [
      ['ann', 0],
      ['bob', 1],
    ] as const) {
      const chatUID = await library.chat(name);
      provider.script.turn = research({ plan: says('["hidden"]'), report: says('It is [1].') });
      const { id } = await library.client(name).deepResearch.start({ chatUID, question: QUESTION });
      await library.end(name, id);
      const report = await library.lastMessage(name, chatUID);
      expect(report).toMatchObject({ ended: 'answer' });
      expect(Object(report).citations).toHaveLength(sources);
      const isTold = JSON.stringify(provider.requests).includes('For Bob alone');
      expect(isTold, name).toBe(name === 'bob');
    }
    await library.ok('POST', '/api/ingest', { operations: [{ op: 'delete', ...node }] });
  });

  test('tells administrators neither its question nor its answer', async () => {
    const chatUID = await library.chat('ann');
    provider.script.turn = research({ report: never });
    const { id } = await ann.deepResearch.start({ chatUID, question: QUESTION });
    await provider.received(6);
    const seen = await admin.deepResearch.getSettings();
    const user = { uid: library.at.people.uid('ann'), name: 'ann' };
    const step = 'Writing the report';
    expect(seen.running).toEqual([
      { chatUID, jobId: id, user, startedAt: expect.any(String), step },
    ]);
    expect(await ann.deepResearch.get(chatUID)).toMatchObject({ id, step });
    await admin.deepResearch.cancel({ chatUID });
    await library.end('admin', id);
    const told = [seen, await admin.jobs.get(id), await audited(chatUID), await admin.jobs.list()];
    expect(JSON.stringify(told)).not.toMatch(/Ann\?|is known|Book one/);
    const deeds = (await audited(chatUID)).map(({ action }) => action);
    expect(deeds).toEqual(expect.arrayContaining(['research.started', 'research.ended']));
  });

  test('is one at a time in a chat, where nothing else is said meanwhile', async () => {
    const chatUID = await library.chat('ann');
    provider.script.turn = research({ plan: never });
    const start = { chatUID, question: QUESTION };
    const { id } = await ann.deepResearch.start(start);
    await expect(ann.deepResearch.start(start)).rejects.toMatchObject({
      status: 409,
      code: 'research_running',
    });
    await expect(ann.chats.send({ chatUID, message: 'And?' })).rejects.toMatchObject({
      code: 'chat_busy',
    });
    expect(await library.lastMessage('ann', chatUID)).toMatchObject({ text: '', ended: null });
    await ann.chats.stop(chatUID);
    expect(await ann.jobs.get(id)).toMatchObject({ state: 'cancelled' });
    await expect(ann.deepResearch.get(chatUID)).rejects.toMatchObject({
      status: 404,
      code: 'research_not_found',
    });
    await expect(admin.deepResearch.cancel({ chatUID })).rejects.toMatchObject({
      code: 'research_not_found',
    });
  });

  test('is its user’s: others start none there, see none and end none', async () => {
    const chatUID = await library.chat('ann');
    const start = { chatUID, question: QUESTION };
    await expect(bob.deepResearch.start(start)).rejects.toMatchObject({ code: 'chat_not_found' });
    provider.script.turn = research({ plan: never });
    const { id } = await ann.deepResearch.start(start);
    const others = 'forbidden';
    await expect(bob.jobs.get(id)).rejects.toMatchObject({ status: 403, code: others });
    await expect(bob.jobs.cancel(id)).rejects.toMatchObject({ code: others });
    await expect(bob.jobs.watch(id).next()).rejects.toMatchObject({ code: others });
    await expect(bob.jobs.get('none')).rejects.toMatchObject({ code: others });
    await expect(bob.deepResearch.get(chatUID)).rejects.toMatchObject({ status: 404 });
    await expect(bob.deepResearch.start(start)).rejects.toMatchObject({ code: 'chat_not_found' });
    expect(await ann.jobs.cancel(id)).toMatchObject({ id });
    expect(await library.end('ann', id)).toMatchObject({ state: 'cancelled' });
  });

  test('goes with its chat', async () => {
    const chatUID = await library.chat('ann');
    provider.script.turn = research({ plan: never });
    const { id } = await ann.deepResearch.start({ chatUID, question: QUESTION });
    await provider.received(1);
    await ann.chats.delete(chatUID);
    await provider.left(1);
    expect(await ann.jobs.get(id)).toMatchObject({ state: 'cancelled' });
  });

  test('ends with the user who asked for it', async () => {
    const { people } = library.at;
    await people.add('leaver');
    const chatUID = await library.chat('leaver');
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    provider.script.turn = research({ plan: { gate, ...says('["one"]') } });
    const { id } = await library.client('leaver').deepResearch.start({ chatUID, question: 'x' });
    await provider.received(1);
    await library.ok('POST', `/api/users/user/${people.uid('leaver')}/deactivate`);
    release();
    expect(await library.end('admin', id)).toMatchObject({
      state: 'failed',
      error: { code: 'forbidden' },
    });
    expect(provider.requests).toHaveLength(1);
  });
});

describe('a cancellation', () => {
  test.each([
    ['plan', 1],
    ['study', 3],
    ['report', 6],
  ] as const)('in the phase "%s" ends it and leaves the provider', async (phase, requests) => {
    const chatUID = await library.chat('ann');
    provider.script.turn = research({ [phase]: never });
    const { id } = await ann.deepResearch.start({ chatUID, question: QUESTION });
    await provider.received(requests);
    await admin.deepResearch.cancel({ chatUID });
    await provider.left(phase === 'study' ? 2 : 1);
    expect(await library.end('admin', id)).toMatchObject({ state: 'cancelled' });
    const last = await library.lastMessage('ann', chatUID);
    expect(last).toMatchObject({ role: 'assistant', text: '', ended: 'stopped', error: null });
  });

  test('while it waits ends it, and those after it are told', async () => {
    await admin.deepResearch.putSettings({ limits: { running: 1, runsPerUser: 3 } });
    const chats = [await library.chat('ann'), await library.chat('ann'), await library.chat('bob')];
    provider.script.turn = research({ plan: never });
    const jobs = [];
    for (const [at, chatUID] of chats.entries()) {
      jobs.push(await (at === 2 ? bob : ann).deepResearch.start({ chatUID, question: QUESTION }));
    }
    const [running, waiting, last] = jobs;
    expect(jobs.map(({ state }) => state)).toEqual(['running', 'queued', 'queued']);
    expect(jobs.map(({ waitingFor }) => waitingFor)).toEqual([
      undefined,
      '1 research before it',
      '2 researches before it',
    ]);
    const { queued } = await admin.deepResearch.getSettings();
    expect(queued.map(({ chatUID }) => chatUID)).toEqual(chats.slice(1));
    await ann.jobs.cancel(waiting!.id);
    expect(await library.end('ann', waiting!.id)).toMatchObject({ state: 'cancelled' });
    expect(await bob.jobs.get(last!.id)).toMatchObject({ waitingFor: '1 research before it' });
    expect(provider.requests).toHaveLength(1);
    await ann.jobs.cancel(running!.id);
    await provider.received(2);
    expect(await bob.jobs.get(last!.id)).toMatchObject({ state: 'running' });
    await bob.jobs.cancel(last!.id);
    await library.end('bob', last!.id);
  });
});
