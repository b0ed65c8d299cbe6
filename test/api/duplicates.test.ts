import { afterAll, beforeAll, expect, test } from 'vitest';
import { join } from 'node:path';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { nodeUid } from '@trellis/client/uid.ts';
import { runConnector } from '@trellis/connector/run-connector.ts';
import { restrictTo } from '@trellis/connector/restrict-to.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import { People } from '../support/people.ts';
import { untilIndexed } from '../support/search-index.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

let people: People;
let admin: TrellisClient;

beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await people.add('bob');
  await people.add('rita', { isReadOnlyAdmin: true });
  admin = clientOf('admin');
  await admin.schema.put({
    nodes: [
      {
        type: 'Person',
        key: 'Id',
        label: 'Name',
        fields: { Name: 'String', Email: 'String', City: 'String' },
      },
      { type: 'Company', key: 'Name', fields: {} },
    ],
    edges: [{ type: 'WorksAt', inverse: 'Employs' }],
  });
});
afterAll(() => people[Symbol.asyncDispose]());

function clientOf(name: string): TrellisClient {
  const baseUrl = people.workspace.server.url;
  return new TrellisClient({ baseUrl, token: people.token(name), retry: { retriesMax: 0 } });
}

const ref = (key: string) => ({ type: 'Person', key });
const uid = (key: string) => nodeUid('Person', key);
const person = (key: string, fields: Record<string, string>) =>
  ({ op: 'addOrUpdate', type: 'Person', key, fields }) as const;
const worksAt = (key: string, company: string) =>
  ({ op: 'link', from: ref(key), edge: 'WorksAt', to: { type: 'Company', key: company } }) as const;

const codeOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => Object(error).code as unknown,
  );

async function find() {
  const { id } = await admin.duplicates.find({ type: 'Person' });
  for await (const _event of admin.jobs.watch(id));
  const job = await admin.jobs.get(id);
  expect(job).toMatchObject({ kind: 'duplicate-search', state: 'succeeded', progress: 1 });
  return job;
}

async function pairs(query: { readonly state?: 'open' | 'dismissed' } = {}) {
  const { items } = await admin.duplicates.list({ type: 'Person', ...query });
  return items.map(({ nodes }) =>
    nodes
      .map((one) => one.name)
      .toSorted()
      .join(' | '),
  );
}

test('pairs are found with a score and why, dismissals are remembered, and a merge is one node', async () => {
  await admin.graph.ingest([
    person('1', { Name: 'Jane Smith', Email: 'jane@example.com', City: 'Rome' }),
    person('2', { Name: 'Smith, Jáne', Email: 'JANE@example.com' }),
    person('3', { Name: 'Jonathan Doering', Email: 'john@example.com', City: 'Rome' }),
    person('4', { Name: 'Jonathan Doring', Email: 'john.doe@example.org', City: 'Oslo' }),
    person('5', { Name: 'Zoe Quill', City: 'Rome' }),
    ...['ACME', 'Initech'].map(
      (key) => ({ op: 'addOrUpdate', type: 'Company', key, fields: {} }) as const,
    ),
    worksAt('1', 'ACME'),
    worksAt('2', 'ACME'),
    worksAt('2', 'Initech'),
  ]);
  await find();
  const [first, second] = (await admin.duplicates.list()).items;
  expect(first).toMatchObject({ type: 'Person', state: 'open', score: expect.any(Number) });
  expect(first?.nodes.map((one) => one.uid).toSorted()).toEqual([uid('1'), uid('2')].toSorted());
  expect(first?.why).toContainEqual({ kind: 'name', similarity: 1 });
  expect(first?.why).toContainEqual({ kind: 'field', field: 'Email', similarity: 1 });
  expect(await pairs()).toEqual(['Jane Smith | Smith, Jáne', 'Jonathan Doering | Jonathan Doring']);

  const id = second?.id ?? '';
  expect(await admin.duplicates.dismiss(id)).toMatchObject({ id, state: 'dismissed' });
  await find();
  expect(await pairs()).toEqual(['Jane Smith | Smith, Jáne']);
  expect(await pairs({ state: 'dismissed' })).toEqual(['Jonathan Doering | Jonathan Doring']);
  await admin.duplicates.reopen(id);
  expect(await pairs()).toHaveLength(2);
  expect(await codeOf(admin.duplicates.dismiss('nobodys'))).toBe('duplicate_not_found');

  const before = await admin.nodes.get(uid('2'));
  const merged = await admin.duplicates.merge({ into: ref('1'), node: uid('2') });
  expect(merged.node).toMatchObject({ UID: uid('1'), Name: 'Jane Smith', City: 'Rome' });
  expect(await admin.nodes.get(uid('2'))).toEqual(merged.node);
  const { edges } = await admin.nodes.getRecord(uid('2'));
  expect(edges).toContainEqual({ edge: 'WorksAt', direction: 'out', count: 2 });
  expect(await pairs()).toEqual(['Jonathan Doering | Jonathan Doring']);
  await admin.graph.ingest([person('2', { City: 'Turin' })]);
  expect(await admin.nodes.get(uid('1'))).toMatchObject({ City: 'Turin' });

  const [merge] = (await admin.duplicates.merges()).items;
  expect(merge).toMatchObject({ id: merged.id, node: uid('2'), isLast: true });
  expect(merge?.into).toEqual({ uid: uid('1'), name: 'Jane Smith' });
  const split = await admin.duplicates.split(merged.id);
  expect(split).toMatchObject({ into: { City: 'Turin' }, node: before });
  expect(await admin.nodes.get(uid('2'))).toEqual(before);
  expect(await codeOf(admin.duplicates.split(merged.id))).toBe('merge_not_found');

  const { items } = await admin.audit.list({ take: 50 });
  const actions = items.map(({ action }) => action);
  for (const action of ['node.merged', 'node.split', 'duplicate.dismissed']) {
    expect(actions).toContain(action);
  }
});

test('nodes with similar texts are a pair, and so are those with the same neighbors', async () => {
  const story =
    'A frigate of forty guns that sailed from Bergen to Batavia with a cargo of dried cod';
  await admin.schema.put({
    nodes: [
      { type: 'Vessel', key: 'Id', label: 'Name', fields: { Name: 'String', Story: 'String' } },
      { type: 'Harbor', key: 'Id', fields: {} },
    ],
    edges: [{ type: 'CalledAt' }],
  });
  const vessel = (key: string, Name: string, more: object = {}) =>
    ({ op: 'addOrUpdate', type: 'Vessel', key, fields: { Name, ...more } }) as const;
  await admin.graph.ingest([
    vessel('1', 'Den Grønne Ørn', { Story: story }),
    vessel('2', 'Green Eagle', { Story: story.replace('forty', 'forty-two') }),
    vessel('3', 'Swan'),
    vessel('4', 'Zwaan'),
    vessel('5', 'Whale'),
    ...['Oslo', 'Riga'].map(
      (key) => ({ op: 'addOrUpdate', type: 'Harbor', key, fields: {} }) as const,
    ),
    ...['3', '4'].flatMap((key) =>
      ['Oslo', 'Riga'].map(
        (harbor) =>
          ({
            op: 'link',
            from: { type: 'Vessel', key },
            edge: 'CalledAt',
            to: { type: 'Harbor', key: harbor },
          }) as const,
      ),
    ),
  ]);
  const { id } = await admin.duplicates.find({ type: 'Vessel', minScore: 0.3 });
  for await (const _event of admin.jobs.watch(id));
  const { items } = await admin.duplicates.list({ type: 'Vessel' });
  const found = items.map(({ nodes, why }) => [
    nodes.map(({ name }) => name).toSorted(),
    why.map(({ kind }) => kind),
  ]);
  expect(found.toSorted()).toEqual([
    [['Den Grønne Ørn', 'Green Eagle'], ['text']],
    [['Swan', 'Zwaan'], ['neighbors']],
  ]);
});

test('nodes with near vectors are a pair, whatever they are called, and no rule merges them', async () => {
  await admin.schema.put({
    nodes: [{ type: 'Firm', key: 'Id', label: 'Name', fields: { Name: 'String', At: 'Float[]' } }],
    edges: [],
  });
  const firm = (key: string, name: string, at: readonly number[]) =>
    ({ op: 'addOrUpdate', type: 'Firm', key, fields: { Name: name, At: at } }) as const;
  await admin.graph.ingest([
    firm('1', 'IBM', [1, 0, 0.01]),
    firm('2', 'International Business Machines', [1, 0.01, 0]),
    firm('3', 'Zuse KG', [0, 1, 0]),
    firm('4', 'No vectors', []),
  ]);
  const settings = { types: { Firm: { fields: { At: { vector: { model: 'made' } } } } } };
  expect((await people.as('admin', 'PUT', '/api/search/settings', settings)).status).toBe(200);
  await untilIndexed(people.workspace.http, people.token('admin'));
  await admin.duplicates.putRule('Firm', { minScore: 0.5, mergeAbove: 0.7 });
  const { id } = await admin.duplicates.find({ type: 'Firm' });
  for await (const _event of admin.jobs.watch(id));
  const { items } = await admin.duplicates.list({ type: 'Firm' });
  expect(items).toEqual([
    expect.objectContaining({ score: 0.6, why: [{ kind: 'vectors', similarity: 1 }] }),
  ]);
  const uids = items[0]!.nodes.map((one) => one.uid).toSorted();
  expect(uids).toEqual([nodeUid('Firm', '1'), nodeUid('Firm', '2')].toSorted());
  await admin.duplicates.deleteRule('Firm');
});

test('nobody learns of a merged node who did not see both', async () => {
  const [ann, bob] = ['ann', 'bob'].map((name) => people.uid(name));
  await admin.graph.ingest([
    person('a', { Name: 'Secret Agent', City: 'Bern' }),
    person('b', { Name: 'Secret Agent', Email: 'agent@example.com' }),
    person('c', { Name: 'Friend' }),
    { op: 'link', from: ref('c'), edge: 'WorksAt', to: ref('a') },
  ]);
  await admin.access.putNode(uid('a'), { users: [ann ?? ''] });
  await admin.access.putNode(uid('b'), { users: [bob ?? ''] });
  const merged = await admin.duplicates.merge({ into: uid('a'), node: uid('b') });
  expect(merged.access).toMatchObject({ users: [], owners: [] });
  for (const name of ['ann', 'bob']) {
    const client = clientOf(name);
    for (const key of ['a', 'b']) {
      expect(await codeOf(client.nodes.get(uid(key)))).toBe('node_not_found');
    }
    const told = await Promise.all([
      client.nodes.query({ type: 'Person', take: 100 }),
      client.nodes.getMany({ uids: [uid('a'), uid('b')] }),
      client.nodes.getManyFields({ uids: [uid('a'), uid('b')], field: 'Name' }),
      client.nodes.getRecord(uid('c')),
    ]);
    expect(JSON.stringify(told)).not.toMatch(/Secret|agent@|Bern/);
    expect(told[3]?.edges).toEqual([]);
  }
  await admin.duplicates.split(merged.id);
  expect(await clientOf('ann').nodes.get(uid('a'))).toMatchObject({ City: 'Bern' });
  expect(await codeOf(clientOf('ann').nodes.get(uid('b')))).toBe('node_not_found');
});

test('a rule merges what the same people see, from its score on', async () => {
  await admin.graph.ingest([
    person('r1', { Name: 'Rule One', Email: 'rule.one@example.com' }),
    person('r2', { Name: 'Rule One', Email: 'rule.one@example.com' }),
    person('s1', { Name: 'Hidden Two', Email: 'hidden.two@example.com' }),
    person('s2', { Name: 'Hidden Two', Email: 'hidden.two@example.com' }),
    person('t1', { Name: 'Other Three', City: 'Prague' }),
    person('t2', { Name: 'Other Thre', City: 'Vienna' }),
  ]);
  await admin.access.putNode(uid('s1'), { users: [people.uid('ann')] });
  const rule = await admin.duplicates.putRule('Person', { fields: ['Email'], mergeAbove: 0.95 });
  expect(rule).toEqual({ type: 'Person', fields: ['Email'], minScore: 0.5, mergeAbove: 0.95 });
  expect((await admin.duplicates.rules()).items).toEqual([rule]);
  await find();
  expect(await admin.nodes.get(uid('r1'))).toEqual(await admin.nodes.get(uid('r2')));
  expect(await admin.nodes.get(uid('s1'))).not.toEqual(await admin.nodes.get(uid('s2')));
  expect(await admin.nodes.get(uid('t1'))).not.toEqual(await admin.nodes.get(uid('t2')));
  const [merge] = (await admin.duplicates.merges()).items;
  expect(merge).toMatchObject({ by: null });
  expect(await pairs()).toContain('Hidden Two | Hidden Two');
  await admin.duplicates.deleteRule('Person');
  expect(await codeOf(admin.duplicates.deleteRule('Person'))).toBe('duplicate_rule_not_found');
});

test('what makes no sense is refused', async () => {
  const { duplicates } = admin;
  expect(await codeOf(duplicates.find({ type: '_User' }))).toBe('invalid_request');
  expect(await codeOf(duplicates.find({ type: 'Person', fields: ['Nope'] }))).toBe(
    'invalid_request',
  );
  expect(await codeOf(duplicates.putRule('Nope', {}))).toBe('invalid_request');
  expect(await codeOf(duplicates.merge({ into: ref('1'), node: ref('nobody') }))).toBe(
    'node_not_found',
  );
  expect(await codeOf(duplicates.merge({ into: ref('1'), node: ref('1') }))).toBe('merge_refused');
  const company = { type: 'Company', key: 'ACME' };
  expect(await codeOf(duplicates.merge({ into: ref('1'), node: company }))).toBe('merge_refused');
  const stale = { into: ref('1'), node: ref('3'), intoVersion: 99 };
  expect(await codeOf(duplicates.merge(stale))).toBe('version_conflict');
  const unknown = { into: ref('1'), node: ref('3'), fields: { Nope: 1 } };
  expect(await codeOf(duplicates.merge(unknown))).toBe('invalid_operation');
  for (const name of ['ann', 'rita']) {
    expect(await codeOf(clientOf(name).duplicates.merge({ into: ref('1'), node: ref('3') }))).toBe(
      'forbidden',
    );
  }
  expect(await codeOf(clientOf('ann').duplicates.list())).toBe('forbidden');
  await clientOf('rita').duplicates.list();
});

test('whoever deletes the node at an address that leads to it deletes it', async () => {
  await admin.graph.ingest(['d1', 'd2', 'd3'].map((key) => person(key, { Name: `Gone ${key}` })));
  await admin.duplicates.merge({ into: ref('d1'), node: uid('d2') });
  expect(await admin.nodes.get(uid('d2'))).toMatchObject({ UID: uid('d1') });
  await admin.nodes.delete(uid('d2'));
  for (const key of ['d1', 'd2']) {
    expect(await codeOf(admin.nodes.get(uid(key)))).toBe('node_not_found');
  }
  await admin.graph.ingest([person('d1', { Name: 'Back' })]);
  await admin.duplicates.merge({ into: ref('d1'), node: uid('d3') });
  await admin.nodes.changeMany({ uids: [uid('d3')], change: { delete: true } });
  expect(await codeOf(admin.nodes.get(uid('d1')))).toBe('node_not_found');
});

test('of two merges of one node at once one is refused, and both nodes are one', async () => {
  await admin.graph.ingest(['x', 'y', 'z'].map((key) => person(key, { Name: `Race ${key}` })));
  const outcomes = await Promise.all(
    ['y', 'z'].flatMap((into) =>
      Array.from({ length: 5 }, () =>
        codeOf(admin.duplicates.merge({ into: ref(into), node: uid('x') })),
      ),
    ),
  );
  // Whoever comes later names the node that stayed, which is merged in turn, or is the same.
  expect(outcomes.every((one) => one === 'no error' || one === 'merge_refused')).toBe(true);
  const shown = await admin.nodes.getMany({ uids: [uid('x'), uid('y'), uid('z')] });
  expect(shown[0]).not.toBeNull();
  for (;;) {
    const merge = (await admin.duplicates.merges()).items.find(
      (one) => one.isLast && [uid('x'), uid('y'), uid('z')].includes(one.node),
    );
    if (merge === undefined) break;
    await admin.duplicates.split(merge.id);
  }
  const after = await admin.nodes.getMany({ uids: [uid('x'), uid('y'), uid('z')] });
  expect(after.map((node) => node?.['Name'])).toEqual(['Race x', 'Race y', 'Race z']);
});

test('a source that deletes a record of a merged node deletes that record alone', async () => {
  const made = await people.as('admin', 'PUT', '/api/groups/group', { name: 'HR' });
  const team = String(Object(made.json).UID);
  const members = { add: [people.uid('ann')] };
  await people.as('admin', 'PUT', `/api/groups/group/${team}/users`, members);
  const scopes = ['ingestion', 'ingestion:acl'];
  await people.addToken('sources', { kind: 'connector', name: 'Sources', scopes });
  const baseUrl = people.workspace.server.url;
  const client = new TrellisClient({ baseUrl, token: people.token('sources') });
  await using folder = await temporaryFolder();
  const schema = {
    nodes: [
      {
        type: 'Person',
        key: 'Id',
        fields: { Name: 'String', Email: 'String', City: 'String' },
      },
      { type: 'Company', key: 'Name', fields: {} },
    ],
    edges: [{ type: 'WorksAt', inverse: 'Employs' }],
  } as const;
  /** One of two sources, each with its own memory: what it lists now. */
  const run = (name: string, rows: Readonly<Record<string, readonly GraphOperation[]>>) =>
    runConnector(
      { client, name, schema, state: join(folder.path, name), removedShareMax: 1 },
      async (source) => {
        for (const [row, operations] of Object.entries(rows)) await source.row(row, operations);
        await source.removeUnseen();
      },
    );
  const company = { op: 'addOrUpdate', type: 'Company', key: 'Umbrella', fields: {} } as const;
  const crm = { 101: [person('101', { Name: 'Eve Stone' }), company, worksAt('101', 'Umbrella')] };
  const hr = {
    102: [
      person('102', { Name: 'Evelyn Stone', Email: 'eve@example.com' }),
      ...restrictTo(ref('102'), { teams: [team] }),
    ],
  };
  await run('crm', crm);
  await run('hr', hr);
  const seenBy = async (name: string, key: string) =>
    (await people.as(name, 'GET', `/api/node/${uid(key)}`)).status;
  const before = await admin.nodes.get(uid('101'));
  await admin.duplicates.merge({ into: ref('101'), node: ref('102') });
  expect([await seenBy('ann', '101'), await seenBy('bob', '101')]).toEqual([200, 404]);

  const report = await run('hr', {});
  expect(report).toMatchObject({ removed: 1, splits: 1 });
  expect(await admin.nodes.get(uid('101'))).toEqual(before);
  expect(await seenBy('bob', '101')).toBe(200);
  expect(await seenBy('admin', '102')).toBe(404);
  expect((await admin.nodes.getRecord(uid('101'))).edges).toContainEqual({
    edge: 'WorksAt',
    direction: 'out',
    count: 1,
  });
  const [event] = (await admin.audit.list({ take: 1, action: 'node.split' })).items;
  expect(event).toMatchObject({ details: { via: 'ingestion' } });

  // The other one goes, which had stayed; what its source had written since is not shown more.
  await run('hr', hr);
  await admin.duplicates.merge({ into: ref('101'), node: ref('102') });
  const salary = [...hr[102], person('102', { City: 'Salary 5' })];
  await run('hr', { 102: salary });
  expect(await admin.nodes.get(uid('101'))).toMatchObject({ City: 'Salary 5' });
  await run('hr', {});
  expect(await admin.nodes.get(uid('101'))).toMatchObject({ City: 'Salary 5' });
  expect([await seenBy('ann', '101'), await seenBy('bob', '101')]).toEqual([200, 404]);

  await run('hr', hr);
  const own = await admin.nodes.get(uid('102'));
  await admin.duplicates.merge({ into: ref('101'), node: ref('102') });
  expect(await run('crm', {})).toMatchObject({ removed: 1, splits: 1 });
  expect(await admin.nodes.get(uid('102'))).toEqual(own);
  expect([await seenBy('ann', '102'), await seenBy('bob', '102')]).toEqual([200, 404]);
  expect(await seenBy('admin', '101')).toBe(404);
});
