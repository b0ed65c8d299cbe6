import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConflictScene, PAUSE } from '../support/conflict-scene.ts';

const ATTEMPTS = 6;

let at: ConflictScene;
beforeAll(async () => {
  at = await ConflictScene.start();
  await at.endpoint(
    'insists',
    `export default async ({ body, graph, search }: Scope<{ key: string }>) => {
  const { Value = 0 } = await graph.get('Counter', body.key);
  await graph.addOrUpdate('Counter', 'half', { Value: 1 });
  ${PAUSE}
  await graph.update('Counter', body.key, { Value: Value + 100 });
  return Value;
};
`,
  );
});
afterAll(() => at[Symbol.asyncDispose]());

const call = () => at.people.as('admin', 'POST', '/api/endpoints/run/insists', { key: 'busy' });

test('a call that others are in the way of at each of its attempts is refused, and writes nothing', async () => {
  await at.set('busy', 0);
  let changes = 0;
  const change = () => at.set('busy', ++changes);
  const { answer, attempts } = await at.duringEach(call, change, 4 * ATTEMPTS);
  const { status, json, headers } = answer;
  expect([status, json]).toMatchObject([409, { error: { code: 'write_conflict' } }]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  // One that a worker could not go on with is begun again, which is no attempt.
  expect(attempts).toBeGreaterThanOrEqual(ATTEMPTS);
  expect([await at.valueOf('busy'), await at.valueOf('half')]).toEqual([attempts, null]);
});

test('it is done when its last attempt meets nobody', async () => {
  await at.set('busy', 0);
  const changes = Array.from({ length: ATTEMPTS - 1 }, (_, i) => () => at.set('busy', i + 1));
  const { status, json } = await at.during(call, ...changes);
  expect([status, json]).toEqual([200, ATTEMPTS - 1]);
  expect(await at.valueOf('busy')).toBe(ATTEMPTS - 1 + 100);
});

test('one that has asked a model does not ask it again', async () => {
  await at.endpoint(
    'asks-model',
    `export default async ({ body, graph, ai }: Scope<{ key: string }>) => {
  const { Value = 0 } = await graph.get('Counter', body.key);
  await ai.complete('How many?');
  await graph.update('Counter', body.key, { Value: Value + 100 });
};
`,
  );
  await at.set('busy', 0);
  const { requests, script } = at.provider;
  const held = Promise.withResolvers<void>();
  script.gate = held.promise;
  const before = requests.length;
  const called = at.people.as('admin', 'POST', '/api/endpoints/run/asks-model', { key: 'busy' });
  await at.provider.received(before + 1);
  await at.set('busy', 5);
  held.resolve();
  const { status, json, headers } = await called;
  expect([status, json]).toMatchObject([409, { error: { code: 'write_conflict' } }]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect([await at.valueOf('busy'), requests.length]).toEqual([5, before + 1]);
});
