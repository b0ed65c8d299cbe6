import { afterAll, beforeAll, expect, it } from 'vitest';
import { openHiddenNotes } from '../support/hidden-notes.ts';
import { field, valueAt } from '../support/http-client.ts';
import type { People } from '../support/people.ts';
import { scale, seed } from '../support/scale.ts';
import { untilIndexed } from '../support/search-index.ts';
import { seededRandom } from '../support/seeded-random.ts';

/**
 * Bob searches again and again, while an administrator adds, changes and removes what Bob may not
 * see: nodes, their words, vectors and files, in languages of their own. Nothing that Bob is
 * answered moves, scores included to the last bit.
 */
let people: People;
let team: string;
beforeAll(async () => {
  people = await openHiddenNotes(false);
  team = await people.addTeam('Others');
  for (const [key, text] of [
    ['n1', 'The harbour pilot and the lighthouse'],
    ['n2', 'A coast path'],
  ] as const) {
    await upload(await uidOf(key), `${key}.txt`, text);
  }
});
afterAll(() => people[Symbol.asyncDispose]());

const random = seededRandom(seed());
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
const WORDS = [
  'harbour',
  'island',
  'idea',
  'pilot',
  'coasts',
  'harbor',
  'smugglers',
  'sea',
  'фильм',
  'lumière',
  'walkers',
];
const sentence = (): string =>
  Array.from({ length: 1 + Math.floor(random() * 12) }, () => pick(WORDS)).join(' ');

const SEARCHES: readonly object[] = [
  ...[
    'harbour',
    'islands coast',
    'idea OR sea',
    'pilot',
    'harbor~',
    'walk*',
    'smugglers',
    '"an idea"',
    'фильм',
  ].map((query) => ({ query, explain: true, facets: ['Type', 'Tags'] })),
  { query: 'harbour', mode: 'hybrid', vector: [1, 1, 2], explain: true },
  { query: '', mode: 'vector', vector: [1, 1, 2] },
  { query: 'coast sea', types: ['Note'], fields: ['Text'], fuzziness: 2 },
];

async function seenByBob(): Promise<unknown> {
  const answers = [];
  for (const request of SEARCHES) answers.push(await asBob('/api/cce/system/search', request));
  for (const query of ['h', 'co', 'isl'])
    answers.push(await asBob('/api/cce/system/suggest', { query }));
  return answers;
}

it('nothing that is hidden from somebody moves what they are answered', async () => {
  await untilTextOfFiles(2);
  await untilIndexed(people.workspace.http, people.token('admin'));
  const before = await seenByBob();
  expect(JSON.stringify(before)).toContain('lighthouse');
  for (let round = 0; round < scale({ sample: 12, soak: 300 }); round++) {
    const key = `hidden${Math.floor(random() * 6)}`;
    const node = { type: 'Note', key };
    const isRemoved = random() < 0.3;
    const fields = {
      Title: sentence(),
      Text: sentence(),
      Tags: [pick(WORDS)],
      Near: [1, random(), 2],
    };
    const operations = isRemoved
      ? [{ op: 'delete', ...node }]
      : [
          { op: 'addOrUpdate', ...node, fields },
          { op: 'restrict', node, team: { uid: team } },
        ];
    const { status, text } = await people.as('admin', 'POST', '/api/ingest', { operations });
    expect([200, 404], text).toContain(status);
    if (!isRemoved && random() < 0.4)
      await upload(await uidOf(key), `hidden${round}.txt`, sentence());
    // What is answered while the index is behind counts as well.
    expect(await seenByBob()).toEqual(before);
    await untilIndexed(people.workspace.http, people.token('admin'));
    expect(await seenByBob()).toEqual(before);
  }
});

it('tells those who see it', async () => {
  const node = { type: 'Note', key: 'hidden-last' };
  const operations = [
    { op: 'addOrUpdate', ...node, fields: { Title: 'harbour', Text: 'harbour' } },
    { op: 'restrict', node, user: { uid: people.uid('bob') } },
  ];
  const before = await asBob('/api/cce/system/search', { query: 'harbour' });
  await people.as('admin', 'POST', '/api/ingest', { operations });
  await untilIndexed(people.workspace.http, people.token('admin'));
  const after = await asBob('/api/cce/system/search', { query: 'harbour' });
  expect(valueAt(after, 'total')).toBe(Number(valueAt(before, 'total')) + 1);
});

async function asBob(path: string, body: object): Promise<unknown> {
  const { status, json, text } = await people.as('bob', 'POST', path, body);
  expect(status, text).toBe(200);
  return { ...Object(json), tookMs: 0 };
}

async function uidOf(key: string): Promise<string> {
  const body = { type: 'Note', take: 1_000 };
  const { json } = await people.as('admin', 'POST', '/api/node/query', body);
  const nodes = valueAt(json, 'items') as readonly { readonly Id: string }[];
  return field(
    nodes.find(({ Id }) => Id === key),
    'UID',
  );
}

async function upload(node: string, name: string, text: string): Promise<void> {
  const body = new FormData();
  body.set('file', new Blob([text], { type: 'text/plain' }), name);
  const headers = { authorization: `Bearer ${people.token('admin')}` };
  const url = new URL(`/api/node/${node}/files`, people.workspace.server.url);
  const { status } = await fetch(url, { method: 'POST', headers, body });
  expect(status).toBe(201);
}

async function untilTextOfFiles(count: number): Promise<void> {
  await expect
    .poll(async () => {
      const { json } = await people.as('bob', 'POST', '/api/cce/system/search', {
        query: 'lighthouse OR path',
      });
      return valueAt(json, 'total');
    })
    .toBe(count);
}
