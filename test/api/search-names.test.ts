import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, valueAt } from '../support/http-client.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';
import { People } from '../support/people.ts';
import { untilIndexed } from '../support/search-index.ts';

/**
 * Breeds are called by their label, and by a key that is no word of any field; words and authors by
 * their key alone. The settings are for `Other`, and search no words of `Word`.
 */
const SCHEMA = {
  nodes: [
    { type: 'Breed', key: 'Code', label: 'Title', fields: { Title: 'String', About: 'String' } },
    { type: 'Word', key: 'Lemma', fields: {} },
    { type: 'Pack', key: 'Name', label: 'Names', fields: { Names: 'String[]' } },
    { type: 'Other', key: 'Name', fields: { Text: 'String' } },
    { type: 'Author', key: 'Name', fields: { Born: 'Int' } },
  ],
  edges: [{ type: 'Means' }],
};
const LONG = 'dog '.repeat(20);

interface Node {
  readonly UID: string;
  readonly Id: string;
}

let people: People;
let hidden: string;
beforeAll(async () => {
  people = await People.start();
  await people.add('ada');
  await people.add('bob');
  const team = await people.addTeam('Readers', { add: [people.uid('ada')] });
  await ok(admin('PUT', '/api/schema', SCHEMA));
  const breed = (key: string, Title: string, About = 'a breed') => ({
    op: 'addOrUpdate',
    type: 'Breed',
    key,
    fields: { Title, About },
  });
  await ok(
    admin('POST', '/api/ingest', {
      operations: [
        breed('B-17/x', 'Pariah dog', LONG),
        breed('b2', 'Dog biscuit'),
        breed('b3', 'Dogma', LONG),
        breed('b4', 'dóg'),
        breed('b5', 'Hidden dog'),
        { op: 'addOrUpdate', type: 'Word', key: 'dog' },
        { op: 'addOrUpdate', type: 'Pack', key: 'p1', fields: { Names: ['pack', 'DOG'] } },
        { op: 'addOrUpdate', type: 'Word', key: 'the' },
        { op: 'addOrUpdate', type: 'Word', key: 'Frank Herbert' },
        breed('b6', 'Sausage', 'frank'),
        { op: 'addOrUpdate', type: 'Word', key: 'C++ (language)' },
        { op: 'addOrUpdate', type: 'Author', key: 'Ursula Le Guin' },
        { op: 'restrict', node: { type: 'Breed', key: 'b5' }, team: { uid: team } },
      ],
    }),
  );
  const types = { Other: { fields: { Text: { text: {} } } }, Word: { fields: {} } };
  await ok(admin('PUT', '/api/search/settings', { types }));
  await untilIndexed(people.workspace.http, people.token('admin'));
  const { hits } = (await search('ada', { query: 'hidden dog' })) as { hits: { node: Node }[] };
  hidden = String(hits[0]?.node.UID);
});
afterAll(() => people[Symbol.asyncDispose]());

const admin = (method: string, path: string, body?: unknown) =>
  people.as('admin', method, path, body);

async function ok(request: Promise<Answer>): Promise<Answer> {
  const answer = await request;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

async function search(user: string, request: object): Promise<unknown> {
  return (await ok(people.as(user, 'POST', '/api/cce/system/search', request))).json;
}

async function found(request: object, user = 'bob'): Promise<string[]> {
  const hits = valueAt(await search(user, request), 'hits') as { node: Node }[];
  return hits.map(({ node }) => node.Id);
}

test('nodes that the query names come first, then those whose name goes on, then others', async () => {
  const order = await found({ query: 'dog' });
  expect(order.slice(0, 3).toSorted()).toEqual(['b4', 'dog', 'p1']);
  expect(order.slice(3)).toEqual(['b2', 'B-17/x', 'b3']);
  const pages = [0, 1, 2, 3, 4, 5].map((skip) => found({ query: 'dog', take: 1, skip }));
  expect((await Promise.all(pages)).flat()).toEqual(order);
  expect(valueAt(await search('bob', { query: 'dog', facets: ['Type'] }), 'total')).toBe(6);
});

test('models find the same over MCP: what is named so first', async () => {
  await using bob = await connectMcp(people.workspace.server.url, people.token('bob'));
  const idsOf = async (query: string) => {
    const { value } = await callTool(bob, 'system__search', { query });
    return (valueAt(value, 'hits') as { node: Node }[]).map(({ node }) => node.Id);
  };
  expect(await idsOf('dog')).toEqual(await found({ query: 'dog' }));
  expect((await idsOf('B-17/x'))[0]).toBe('B-17/x');
  expect(await idsOf(hidden)).toEqual([]);
});

test('a word that is only begun completes names', async () => {
  for (const query of ['dog*', '(dog OR dog*)']) {
    const order = await found({ query });
    expect(order.slice(0, 3).toSorted()).toEqual(['b4', 'dog', 'p1']);
    expect(order.slice(3, 5).toSorted()).toEqual(['b2', 'b3']);
    expect(order.slice(5)).toEqual(['B-17/x']);
  }
});

test.each(['frank', 'fran*', '(fra OR fra*)', 'frank her*', 'frank (her OR her*)'])(
  'a name that begins with %s is found, although its words are not searched',
  async (query) => {
    expect((await found({ query }))[0]).toBe('Frank Herbert');
    expect(await found({ query, sort: 'recent' })).toContain('Frank Herbert');
    expect(await found({ query, types: ['Breed'] })).not.toContain('Frank Herbert');
  },
);

test('without settings, the words of a key by which nodes are called are searched', async () => {
  expect(await found({ query: 'guin ursula' })).toEqual(['Ursula Le Guin']);
  // These are called by their label.
  expect(await found({ query: '17' })).toEqual([]);
  expect(await found({ query: 'language' })).toEqual([]);
});

test.each([
  ['a key with signs', 'b-17/X', 'B-17/x'],
  ['a stop word', 'The', 'the'],
  ['a name with signs of queries', 'C++ (language)', 'C++ (language)'],
  ['one of several names', 'Pack', 'p1'],
  ['a name in quotes', '"Pariah Dog"', 'B-17/x'],
])('%s is found, whatever the settings say', async (_, query, key) => {
  expect((await found({ query }))[0]).toBe(key);
  expect(await found({ query, sort: 'recent' })).toContain(key);
});

test('a UID finds its node, for those who see it', async () => {
  expect(await found({ query: ` ${hidden} ` }, 'ada')).toEqual(['b5']);
  expect(await found({ query: hidden, types: ['Word'] }, 'ada')).toEqual([]);
  expect(await found({ query: hidden })).toEqual([]);
  expect(await found({ query: 'hidden dog' })).not.toContain('b5');
});

test('explain says which name it was, and scores are those of the words', async () => {
  const answer = await search('bob', { query: 'dog', explain: true });
  const hits = valueAt(answer, 'hits') as {
    score: number;
    explain: { name?: { match: string }; parts: { score: number; term: string }[] };
  }[];
  const matches = hits.map(({ explain }) => explain.name?.match);
  expect(matches).toEqual(['whole', 'whole', 'whole', 'beginning', undefined, undefined]);
  for (const { score, explain } of hits) {
    expect(explain.parts.reduce((sum, part) => sum + part.score, 0)).toBeCloseTo(score, 9);
    expect(explain.parts.every(({ term }) => term === 'dog')).toBe(true);
  }
});

test('nobody finds by a name what they may not read', async () => {
  const team = { teams: [await people.addTeam('Few', { add: [people.uid('ada')] })] };
  await ok(admin('PUT', '/api/access/types', { types: { Pack: { fields: { Names: team } } } }));
  expect(await found({ query: 'pack' }, 'ada')).toEqual(['p1']);
  expect(await found({ query: 'pack' })).toEqual([]);
  expect(await found({ query: 'p1' })).toEqual(['p1']);
  await ok(admin('PUT', '/api/access/types', { types: {} }));
});

test('among nodes of one name, that with more connections comes first, for who sees all', async () => {
  const twin = (key: string) => ({ type: 'Breed', key });
  const keys = ['t1', 't2', 't3'];
  const operations = [
    ...keys.map((key) => ({ op: 'addOrUpdate', ...twin(key), fields: { Title: 'Twin' } })),
    ...['b2', 'b3'].map((key) => ({ op: 'link', from: twin(key), edge: 'Means', to: twin('t3') })),
    { op: 'link', from: twin('t2'), edge: 'Means', to: twin('b2') },
  ];
  const link = (op: string) =>
    ok(admin('POST', '/api/ingest', { operations: [{ ...operations[3], op }] }));
  await ok(admin('POST', '/api/ingest', { operations }));
  await untilIndexed(people.workspace.http, people.token('admin'));
  const request = { query: 'twin', explain: true };
  const hits = valueAt(await search('admin', request), 'hits') as {
    node: Node;
    explain: { name: { connections: number } };
  }[];
  const counts = hits.map(({ node, explain }) => [node.Id, explain.name.connections]);
  expect(counts).toEqual([
    ['t3', 2],
    ['t2', 1],
    ['t1', 0],
  ]);
  // The number would tell of nodes that are hidden from him.
  expect(await found(request)).toEqual(keys);
  await link('unlink');
  await untilIndexed(people.workspace.http, people.token('admin'));
  expect(await found(request, 'admin')).toEqual(['t2', 't3', 't1']);
});

test('among nodes of one name, a type that counts more comes first', async () => {
  const first = async (type: string): Promise<string | undefined> => {
    const types = { [type]: { weight: 5, fields: {} } };
    await ok(admin('PUT', '/api/search/settings', { types }));
    await untilIndexed(people.workspace.http, people.token('admin'));
    return (await found({ query: 'dog' }))[0];
  };
  expect(await first('Breed')).toBe('b4');
  expect(await first('Word')).toBe('dog');
  expect(await first('Pack')).toBe('p1');
});
