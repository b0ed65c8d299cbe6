import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeUid } from '@trellis/client/uid.ts';
import type { NodeReference } from '@trellis/contract/shapes/node-reference.ts';
import { bodyMembers } from '@trellis/contract/testing/node-members.ts';
import { nodeForms } from '../support/node-forms.ts';
import { People } from '../support/people.ts';

const DOG = nodeUid('Word', 'dog');
const FORMS = nodeForms('Word', 'dog');
const NOBODY: readonly NodeReference[] = [
  ...nodeForms('Word', 'unicorn'),
  { type: 'Nothing', key: 'dog' },
];

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  const nodes = [{ type: 'Word', key: 'Name', fields: { Text: 'String' } }];
  const edges = [{ type: 'Near' }, { type: 'Far' }];
  expect((await admin('PUT', '/api/schema', { nodes, edges })).status).toBe(200);
  const words = ['dog', 'cat', 'cow', 'hidden'].map((key) => ({
    op: 'addOrUpdate',
    type: 'Word',
    key,
    fields: { Text: `a ${key}` },
  }));
  const named = (key: string) => ({ type: 'Word', key });
  await ingest(
    ...words,
    { op: 'link', from: named('cat'), edge: 'Near', to: named('dog') },
    { op: 'link', from: named('dog'), edge: 'Near', to: named('cow') },
    { op: 'restrict', node: named('hidden'), user: { uid: people.uid('ann') } },
  );
  await people.add('bob');
});
afterAll(() => people[Symbol.asyncDispose]());

const admin = (method: string, path: string, body?: unknown) =>
  people.as('admin', method, path, body);

async function post(path: string, body: unknown, who = 'admin'): Promise<unknown> {
  const { status, text } = await people.as(who, 'POST', path, body);
  return { status, text: text.replaceAll(/"(?:traceId|tookMs)":[^,}]+/g, '') };
}

async function ingest(...operations: unknown[]): Promise<unknown> {
  const { status, json } = await admin('POST', '/api/ingest', { operations });
  expect([status, json]).toEqual([200, expect.anything()]);
  return json;
}

/** Edges of "dog", as `type other` with `>` for those that leave it. */
async function edgesOfDog(): Promise<string[]> {
  const { json } = await admin('POST', '/api/cce/system/neighbors', { node: DOG });
  const { items } = Object(json);
  return items
    .map((one: { direction: string; edge: { type: string }; node: { Id: string } }) =>
      [one.direction === 'out' ? '>' : '<', one.edge.type, one.node.Id].join(' '),
    )
    .toSorted();
}

const CAT = { type: 'Word', key: 'cat' };
const CAT_UID = nodeUid('Word', 'cat');

/** What each place in a body that takes a node answers, or does, for one form of a reference. */
const PLACES: Readonly<Record<string, (node: NodeReference) => Promise<unknown>>> = {
  'queryNodes uids': (node) => post('/api/node/query', { uids: [node] }),
  'getManyNodes uids': (node) => post('/api/node/many/full', { uids: [node] }),
  'getManyFields uids': (node) => post('/api/node/many/field', { uids: [node], field: 'Text' }),
  'downloadCsv uids': (node) => post('/api/node/download/csv', { uids: [node] }),
  'downloadJsonl uids': (node) => post('/api/node/download/jsonl', { uids: [node] }),
  'downloadZip uids': async (node) =>
    Object(await post('/api/node/download/zip', { uids: [node] })).status,
  'getEmbeddings UIDs': (node) => post('/api/embeddings/uids', { UIDs: [node] }),
  'createNode links.to': (node) => linkedBy({ edge: 'Far', to: node }),
  'createNode links.from': (node) => linkedBy({ edge: 'Far', from: node }),
  'changeNodeLinks add.to': (node) =>
    changed(`${CAT_UID}/links`, { add: [{ edge: 'Far', to: node }] }),
  'changeNodeLinks add.from': (node) =>
    changed(`${CAT_UID}/links`, { add: [{ edge: 'Far', from: node }] }),
  'changeNodeLinks remove.to': (node) =>
    changed(`${CAT_UID}/links`, { remove: [{ edge: 'Near', to: node }] }),
  'changeNodeLinks remove.from': (node) =>
    changed(`${CAT_UID}/links`, { remove: [{ edge: 'Far', from: node }] }),
  'changeManyNodes uids': (node) =>
    changed('bulk', { uids: [node], change: { add: { edge: 'Far', to: CAT } } }),
  'changeManyNodes change.add.to': (node) =>
    changed('bulk', { uids: [CAT_UID], change: { add: { edge: 'Far', to: node } } }),
  'changeManyNodes change.add.from': (node) =>
    changed('bulk', { uids: [CAT_UID], change: { add: { edge: 'Far', from: node } } }),
  'changeManyNodes change.remove.to': (node) =>
    changed('bulk', { uids: [CAT_UID], change: { remove: { edge: 'Near', to: node } } }),
  'changeManyNodes change.remove.from': (node) =>
    changed('bulk', { uids: [CAT_UID], change: { remove: { edge: 'Far', from: node } } }),
  // Nothing is merged: the node has another version. What there is not is told of before.
  'mergeNodes into': (node) =>
    post('/api/duplicates/merge', { into: node, node: CAT, intoVersion: 9_999 }),
  'mergeNodes node': (node) =>
    post('/api/duplicates/merge', { into: CAT, node, nodeVersion: 9_999 }),
  'putLlmBudgets budgets.team': async (node) => {
    const budgets = [{ team: node, tokens: 1_000 }];
    const body = { currency: 'EUR', prices: {}, budgets };
    const { status, json } = await admin('PUT', '/api/llm/budgets', body);
    const { error, budgets: kept } = Object(json);
    return { status, error, kept };
  },
  'ingestion from': (node) => ingested({ op: 'link', from: node, edge: 'Far', to: CAT }),
  'ingestion to': (node) => ingested({ op: 'unlink', from: CAT, edge: 'Near', to: node }),
  'ingestion keep': (node) =>
    ingested({ op: 'unlinkExcept', from: CAT, edge: 'Near', keep: [node] }),
  'ingestion node': (node) => ingested({ op: 'restrict', node, user: { uid: people.uid('ann') } }),
  'ingestion team': (node) => refusedAs({ op: 'restrict', node: CAT, team: node }),
  'ingestion user': (node) => refusedAs({ op: 'restrict', node: CAT, user: node }),
  'ingestion member': (node) => refusedAs({ op: 'addToTeam', team: CAT, member: node }),
};

/** These answer of a word as of what there is not. */
const SAME_AS_NOBODY = ['getEmbeddings UIDs', 'downloadZip uids', 'putLlmBudgets budgets.team'];

/** In chat.test.ts and document-extractions.test.ts, which have a model. */
const TESTED_ELSEWHERE = ['sendChatMessage viewingUID', 'startExtraction documents.nodes'];

async function linkedBy(link: object): Promise<unknown> {
  const body = { type: 'Word', key: 'new', links: [link] };
  const { status, json } = await admin('POST', '/api/node', body);
  const edges = await edgesOfDog();
  if (status === 201) await ingest({ op: 'delete', type: 'Word', key: 'new' });
  return { status, code: Object(Object(json).error).code, edges };
}

async function changed(path: string, body: object): Promise<unknown> {
  const answer = await post(`/api/node/${path}`, body);
  const edges = await edgesOfDog();
  await restored();
  return { answer, edges };
}

async function ingested(operation: object): Promise<unknown> {
  const { status, json } = await admin('POST', '/api/ingest', { operations: [operation] });
  const { nodes, edges, error } = Object(json);
  const now = await edgesOfDog();
  await restored();
  return { status, nodes, edges, code: Object(error).code, now };
}

/** A word is no user and no team: the answer says which node was found to be of the wrong type. */
async function refusedAs(operation: object): Promise<unknown> {
  const { status, json } = await admin('POST', '/api/ingest', { operations: [operation] });
  const { code, details } = Object(Object(json).error);
  expect([status, code]).toEqual([422, 'invalid_operation']);
  return details;
}

async function restored(): Promise<void> {
  const dog = { type: 'Word', key: 'dog' };
  await ingest(
    { op: 'unlink', from: CAT, edge: 'Far', to: dog },
    { op: 'unlink', from: dog, edge: 'Far', to: CAT },
    { op: 'link', from: CAT, edge: 'Near', to: dog },
    { op: 'unrestrict', node: dog },
  );
}

describe('a node in a body', () => {
  test('has a test for each place that takes one', () => {
    const places = bodyMembers()
      .filter(({ isReference }) => isReference)
      .map(({ id, at }) => `${id} ${at}`);
    const tested = [...Object.keys(PLACES), ...TESTED_ELSEWHERE];
    expect(tested.toSorted()).toEqual([...new Set(places)].toSorted());
  });

  test.each(Object.keys(PLACES))('is the same in all three forms: %s', async (place) => {
    const answers = [];
    for (const form of FORMS) answers.push(await PLACES[place]?.(form));
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    // One that there is not is another answer.
    if (!SAME_AS_NOBODY.includes(place)) {
      expect(await PLACES[place]?.(NOBODY[0] ?? '')).not.toEqual(answers[0]);
    }
  });

  test('that may not be seen is as one that there is not', async () => {
    const hidden = nodeUid('Word', 'hidden');
    for (const form of [hidden, { uid: hidden }, { type: 'Word', key: 'hidden' }]) {
      expect(await post('/api/node/many/full', { uids: [form] }, 'bob')).toEqual({
        status: 200,
        text: '[null]',
      });
      expect(await post('/api/node/many/full', { uids: [form] }, 'ann')).not.toMatchObject({
        text: '[null]',
      });
    }
    expect(await post('/api/node/many/full', { uids: NOBODY }, 'bob')).toMatchObject({
      text: '[null,null,null,null]',
    });
  });

  test.each([[{ type: 'Word' }], [5], [{}]])(
    'that is named by %j is refused, with its place',
    async (node) => {
      const { status, json } = await admin('POST', '/api/node/many/full', { uids: [DOG, node] });
      expect([status, json]).toMatchObject([
        400,
        { error: { code: 'invalid_request', details: { fields: [{ path: 'uids.1' }] } } },
      ]);
    },
  );
});

/** The built-in endpoints, by the member that names a node. */
const SYSTEM: Readonly<Record<string, (node: NodeReference) => [string, unknown]>> = {
  'nodes uids': (node) => ['nodes', { uids: [node] }],
  'neighbors node': (node) => ['neighbors', { node }],
  'paths from': (node) => ['paths', { from: node, to: CAT }],
  'paths to': (node) => ['paths', { from: CAT, to: node }],
  'search relatedTo': (node) => ['search', { relatedTo: node }],
  'search targetUids': (node) => ['search', { targetUids: [node] }],
  'similar uid': (node) => ['similar', { uid: node }],
};

test.each(Object.keys(SYSTEM))('a built-in endpoint takes all three forms: %s', async (member) => {
  const answers = [];
  for (const form of FORMS) {
    const [name, body] = SYSTEM[member]?.(form) ?? ['', {}];
    answers.push(await post(`/api/cce/system/${name}`, body));
  }
  expect(answers[0]).toMatchObject({ status: 200 });
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
});

/** Calls of the scope with a reference, by the member that takes it. */
const SCOPE: Readonly<Record<string, string>> = {
  startAtUids: 'q().startAtUids(node).uids()',
  startAtSimilar: 'q().startAtSimilar(node).uids()',
  after: "q().startAt('Word').after(0, node).uids()",
  isRelatedTo: "q().startAt('Word').isRelatedTo(node).uids()",
  shortestPath: "q().startAt('Word', 'cat').shortestPath(node)",
  shortestPaths: "q().startAt('Word', 'cat').shortestPaths(node)",
  get: 'graph.get(node)',
  tryGet: 'graph.tryGet(node)',
  getMany: 'graph.getMany([node])',
  version: 'graph.version(node)',
  relatedTo: 'search({ relatedTo: node }).then(({ total }) => total)',
  targetUids: 'search({ targetUids: [node] }).then(({ total }) => total)',
  delete: 'graph.delete(node).then(({ UID }) => UID)',
  link: "graph.link(node, 'Far', { type: 'Word', key: 'cow' })",
  unlink: "graph.unlink(node, 'Far', { type: 'Word', key: 'cow' }).then(() => 0)",
  restrict: 'graph.restrict(node, { user: CurrentUser! }).then(() => 0)',
  unrestrict: 'graph.unrestrict(node).then(() => 0)',
};

describe('a node in the code of an endpoint', () => {
  test('has a test for each member that takes one', () => {
    const folder = join(import.meta.dirname, '../../endpoint/src');
    const types = ['query.ts', 'search.ts', 'graph-reads.ts', 'graph-writes.ts']
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n');
    const members = [
      ...types.matchAll(/^ {2}(?:readonly )?(\w+)\??(?:<[^>]*>)?(\([\s\S]*?\)|): [^;]*;/gm),
    ]
      .filter(([text]) => /\bNodeReference\b/.test(text))
      .map(([, name = '']) => name);
    // Of what these are members, others are named here.
    const parts = new Set(['from', 'to', 'team', 'user', 'node']);
    const named = [...new Set(members)].filter((name) => !parts.has(name));
    expect(named.length).toBeGreaterThan(8);
    expect(Object.keys(SCOPE)).toEqual(expect.arrayContaining(named));
    // A UID alone names no node in a parameter.
    expect(types).not.toMatch(/\(\w*[^)]*: (?:readonly )?UID\b/);
  });

  test.each(Object.keys(SCOPE))('is the same in all three forms: %s', async (member) => {
    const name = `named-${member}`;
    const code = `export default async ({ body, q, graph, search, CurrentUser }: Scope<{ node: NodeReference<'Word'> }>) => {
      const { node } = body;
      return ${SCOPE[member] ?? ''};
    }`;
    const made = await admin('POST', '/api/endpoints/create', { name, code });
    expect(made.json).toMatchObject({ compiles: true });
    const answers = [];
    for (const form of FORMS) {
      answers.push(await post(`/api/endpoints/run/${name}`, { node: form }));
      if (member === 'link')
        await ingest({
          op: 'unlink',
          from: { uid: DOG },
          edge: 'Far',
          to: { type: 'Word', key: 'cow' },
        });
      if (member === 'delete')
        await ingest({ op: 'addOrUpdate', type: 'Word', key: 'dog', timestamp: 0 });
    }
    expect(answers[0]).toMatchObject({ status: 200 });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });
});
