import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { research, ResearchedLibrary } from '../support/researched-library.ts';
import { TrellisProcess } from '../support/trellis-process.ts';

/** An answer that never begins. */
const never = { gate: new Promise<void>(() => {}) };

test('researches that run and wait when the process ends are interrupted at the next start, and the chats say so', async () => {
  await using library = await ResearchedLibrary.start();
  await using servers = new AsyncDisposableStack();
  const { people, provider } = library.at;
  const { storage } = people.workspace;
  await library.client('admin').deepResearch.putSettings({ limits: { running: 1 } });
  const chats = [await library.chat('ann'), await library.chat('ann')];
  let { server } = people.workspace;
  let ann = library.client('ann');
  for (const ending of ['kill', 'stop'] as const) {
    provider.script.turn = research({ study: never });
    const jobs = [];
    for (const chatUID of chats) {
      jobs.push(await ann.deepResearch.start({ chatUID, question: 'How?' }));
    }
    expect(jobs.map(({ state }) => state)).toEqual(['running', 'queued']);
    await provider.received(3);
    await server[ending]();
    await provider.left(2);
    provider.reset();

    server = servers.use(await TrellisProcess.start({ storage }));
    ann = new TrellisClient({ baseUrl: server.url, token: people.token('ann') });
    for (const [at, chatUID] of chats.entries()) {
      const { state } = await ann.jobs.get(jobs[at]!.id);
      const { messages, isBusy } = await ann.chats.get(chatUID);
      expect([ending, state, isBusy]).toEqual([ending, 'interrupted', false]);
      expect(messages.slice(-2)).toMatchObject([{ text: 'How?' }, { ended: 'interrupted' }]);
    }
  }
  provider.script.turn = research();
  const { id } = await ann.deepResearch.start({ chatUID: chats[0]!, question: 'Again?' });
  for await (const event of ann.jobs.watch(id)) void event;
  expect(await ann.jobs.get(id)).toMatchObject({ state: 'succeeded' });
});
