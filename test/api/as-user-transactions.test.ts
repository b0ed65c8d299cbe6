import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConflictScene, PAUSE } from '../support/conflict-scene.ts';
import { untilEmbedded } from '../support/search-index.ts';

/** Keeps what the caller may see; the pause is between its reads and its writes. */
const KEEP = `export default async ({ q, graph, search }: Scope) => {
  const seen = await q().asUser().startAt('Note').nodes();
  ${PAUSE}
  const names = seen.map(({ Name }) => String(Name)).sort().join(' ');
  await graph.addOrUpdate('Kept', 'last', { Names: names });
  return names;
};
`;
/** What refuses its commit is caught, and it goes on. */
const CAUGHT = `export default async ({ q, graph, search }: Scope) => {
  await q().asUser().startAt('Note').nodes();
  ${PAUSE}
  await graph.addOrUpdate('Kept', 'last', { Names: 'refused' });
  await graph.commit().catch(() => {});
  await graph.addOrUpdate('Kept', 'count', { Names: 'went on' });
  await graph.commit();
  return 'went on';
};
`;
/** Searches before and after the pause. */
const FOUND = `export default async ({ graph, search, searchAsUser }: Scope) => {
  const found = await searchAsUser({ query: 'shelf', types: ['Note'] });
  await graph.tryGet('Counter', 'found');
  ${PAUSE}
  const names = found.hits.map(({ node }) => String(node.Name)).sort().join(' ');
  await graph.addOrUpdate('Kept', 'last', { Names: names });
  return names;
};
`;
const NESTED = `export default async ({ q, graph, run }: Scope) => {
  const seen = await q().asUser().startAt('Note').count();
  const names = await run('keep');
  await graph.addOrUpdate('Kept', 'count', { Names: String(seen) });
  return names;
};
`;
const KEPT = `export default async ({ graph }: Scope) => [
  (await graph.tryGet('Kept', 'last'))?.Names ?? null,
  (await graph.tryGet('Kept', 'count'))?.Names ?? null,
];
`;

let at: ConflictScene;
let team: string;
beforeAll(async () => {
  at = await ConflictScene.start();
  await at.ok('PUT', '/api/schema', {
    nodes: [{ type: 'Kept', key: 'Name', fields: { Names: 'String' } }],
    edges: [],
  });
  await at.endpoint('keep', KEEP);
  await at.endpoint('nested', NESTED);
  await at.endpoint('caught', CAUGHT);
  await at.endpoint('found', FOUND);
  await at.endpoint('kept', KEPT, { isReadOnly: true });
  await at.people.add('bob');
  team = await at.people.addTeam('readers', {});
  for (const key of ['secret', 'shared']) {
    await at.write('Note', key, { Text: 'It is on the shelf.' });
  }
  await untilEmbedded(at.people.workspace.http, at.people.token('admin'));
  await ingest({ op: 'restrict', node: note('shared'), team: { uid: team } });
});
afterAll(() => at[Symbol.asyncDispose]());
beforeEach(async () => {
  at.provider.reset();
  await at.ok('PUT', '/api/access/types', { types: {} });
  await ingest(
    { op: 'unrestrict', node: note('secret'), user: user('bob') },
    { op: 'addToTeam', team: { uid: team }, user: user('ann') },
    { op: 'delete', type: 'Kept', key: 'last' },
    { op: 'delete', type: 'Kept', key: 'count' },
  );
});

const note = (key: string) => ({ type: 'Note', key });
const user = (name: string) => ({ uid: at.people.uid(name) });
const ingest = (...operations: object[]) => at.ok('POST', '/api/ingest', { operations });
const kept = () => at.ok('POST', '/api/endpoints/run/kept');
const run = (name: string) => at.people.as('ann', 'POST', `/api/endpoints/run/${name}`, {});

const changes: readonly (readonly [string, () => Promise<unknown>, string])[] = [
  [
    'a node that was restricted',
    () => ingest({ op: 'restrict', node: note('secret'), user: user('bob') }),
    'first shared',
  ],
  [
    'what is left to a team that the user was taken from',
    () => ingest({ op: 'removeFromTeam', team: { uid: team }, user: user('ann') }),
    'first secret',
  ],
  [
    'a type that was restricted',
    () => at.ok('PUT', '/api/access/types', { types: { Note: { visibleTo: 'restricted' } } }),
    'shared',
  ],
];

test.each(changes)('asUser() reads by the rights of the attempt: %s', async (_what, take, seen) => {
  const answer = await at.during(() => run('keep'), take);
  expect([answer.status, answer.json]).toEqual([200, seen]);
  expect(await kept()).toEqual([seen, null]);
});

test.each(changes)(
  'an endpoint and the one that it runs read by the same rights: %s',
  async (_what, take, seen) => {
    const answer = await at.during(() => run('nested'), take);
    expect([answer.status, answer.json]).toEqual([200, seen]);
    expect(await kept()).toEqual([seen, String(seen.split(' ').length)]);
  },
);

let found = 0;
test.each([
  ['nothing', async () => {}, 'secret shared'],
  ...changes.slice(0, 2).map(([what, take], i) => [what, take, ['shared', 'secret'][i]] as const),
] as const)(
  'searchAsUser() finds by the rights of the attempt, having lost %s',
  async (_what, take, seen) => {
    const answer = await at.during(
      () => run('found'),
      async () => {
        await take();
        await at.set('found', ++found);
      },
    );
    expect([answer.status, answer.json]).toEqual([200, seen]);
    expect(await kept()).toEqual([seen, null]);
  },
);

test('users at once, each with what they see, are one commit each', async () => {
  await ingest({ op: 'restrict', node: note('secret'), user: user('bob') });
  const answers = await Promise.all(
    ['ann', 'bob', 'ann', 'bob'].map((name) =>
      at.people.as(name, 'POST', '/api/endpoints/run/keep', {}),
    ),
  );
  expect(answers.map(({ json }) => json)).toEqual([
    'first shared',
    'first secret',
    'first shared',
    'first secret',
  ]);
});

describe.each(['keep', 'caught'])('of the endpoint "%s"', (endpoint) => {
  test.each([
    ['an administrator who is none any more', { isAdmin: false }, [403, 'forbidden']],
    ['a user who is not active any more', { active: false }, [401, 'invalid_token']],
  ])('%s gets no further attempt, and none goes on', async (_who, change, refusal) => {
    const name = `eve-${endpoint}-${refusal[0]}`;
    await at.people.add(name, { isAdmin: true });
    const { status, json } = await at.during(
      () => at.people.as(name, 'POST', `/api/endpoints/run/${endpoint}`, {}),
      async () => {
        await at.ok('PUT', `/api/users/user/${at.people.uid(name)}`, change);
        await at.write('Note', 'first', { Text: name });
      },
    );
    expect([status, Object(json).error?.code]).toEqual(refusal);
    expect(await kept()).toEqual([null, null]);
  });
});
