import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { expect, test } from 'vitest';
import { GoldenScene } from '../support/golden-scene.ts';
import { HttpClient } from '../support/http-client.ts';
import { says } from '../support/llm-server.ts';
import { TrellisProcess } from '../support/trellis-process.ts';

test('a run during which the process is killed is interrupted, keeps its answers, and goes on', async () => {
  await using scene = await GoldenScene.start();
  const { provider, people } = scene.at;
  const questions = ['a', 'b', 'c'].map((id) => ({
    id,
    question: `${id}?`,
    nuggets: [{ text: id }],
  }));
  await scene.admin.goldenAnswers.put('cut', { questions });
  scene.script({ 'a?': { says: 'a' } }, () => ({
    ...says('Never said.'),
    gate: new Promise<void>(() => {}),
  }));
  await scene.admin.goldenAnswers.run('cut');
  await provider.received(2);
  const { server, storage } = people.workspace;
  await server.kill();

  await using again = await TrellisProcess.start({ storage });
  const token = await new HttpClient(again.url).signIn();
  const client = new TrellisClient({ baseUrl: again.url, token });
  const cut = await client.goldenAnswers.getRun('cut', 1);
  expect(cut).toMatchObject({
    state: 'interrupted',
    answered: 1,
    failed: 0,
    metrics: { nuggetRecallVital: { value: 1, n: 1 } },
    results: [{ id: 'a', answer: 'a' }],
  });
  scene.script({ 'b?': { says: 'b' }, 'c?': { says: 'nothing' } });
  const { id } = await client.goldenAnswers.run('cut', { resume: 1 });
  for await (const _ of client.jobs.watch(id)) {
    // It ends with the job.
  }
  expect(await client.goldenAnswers.getRun('cut', 1)).toMatchObject({
    state: 'completed',
    answered: 3,
    results: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
  });
  // The first question was not asked again.
  expect(provider.requests).toHaveLength(2);
});
