import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { nodeUid } from '@trellis/client/uid.ts';
import type { ExtractionRequest } from '@trellis/contract/shapes/extraction.ts';
import { nodeForms } from '../support/node-forms.ts';
import { runTrellis } from '../support/command-line.ts';
import { pdfDocument } from '../../server/src/files/testing/documents.ts';
import { LlmWorkspace } from '../support/llm-workspace.ts';
import { says, type LlmServerRequest, type LlmTurn } from '../support/llm-server.ts';

let scene: LlmWorkspace;
let admin: TrellisClient;

beforeAll(async () => {
  scene = await LlmWorkspace.start();
  await scene.use('openai-compatible', { models: ['large', 'small'] });
  await scene.people.add('bob');
  admin = clientOf('admin');
  await admin.schema.put({
    nodes: [
      {
        type: 'Report',
        key: 'Number',
        label: 'Title',
        fields: { Title: 'String', Body: 'String' },
      },
      { type: 'Person', key: 'Name', fields: { Born: 'Int', Trade: 'String' } },
      { type: 'Ship', key: 'Name', fields: { Tons: 'Int' } },
    ],
    edges: [{ type: 'Sails', inverse: 'SailedBy' }],
  });
});
afterAll(() => scene[Symbol.asyncDispose]());
afterEach(() => scene.provider.reset());

function clientOf(name: string): TrellisClient {
  const { url } = scene.people.workspace.server;
  return new TrellisClient({
    baseUrl: url,
    token: scene.people.token(name),
    retry: { retriesMax: 0 },
  });
}

const person = (key: string, fields: object, quote: string, confidence = 0.9) => ({
  type: 'Person',
  key,
  fields,
  quote,
  confidence,
});
const ship = (key: string, fields: object, quote: string, confidence = 0.9) => ({
  ...person(key, fields, quote, confidence),
  type: 'Ship',
});
const sails = (from: string, to: string, quote: string) => ({
  edge: 'Sails',
  from: { type: 'Person', key: from },
  to: { type: 'Ship', key: to },
  confidence: 0.8,
  quote,
});
const finds = (nodes: readonly object[], edges: readonly object[] = []): LlmTurn =>
  says(JSON.stringify({ nodes, edges }));

/** What the model is given to read. */
function materialOf({ body }: LlmServerRequest): {
  document: string;
  text: string;
  page: number | null;
} {
  const messages: { role: string; content: string }[] = Object(body).messages;
  return JSON.parse(messages.find(({ role }) => role === 'user')!.content);
}

/** By what stands in the text. */
function script(answers: Readonly<Record<string, LlmTurn>>): void {
  scene.provider.script.turn = (asked) => {
    const { text } = materialOf(asked);
    const found = Object.keys(answers).find((part) => text.includes(part));
    return found === undefined ? finds([]) : answers[found]!;
  };
}

async function report(key: string, body: string, title = `Report ${key}`): Promise<string> {
  await admin.graph.ingest([
    { op: 'addOrUpdate', type: 'Report', key, fields: { Title: title, Body: body } },
  ]);
  return nodeUid('Report', key);
}

const TARGET = { types: ['Person', 'Ship'], edges: ['Sails'] };

async function extract(documents: object, more: Partial<ExtractionRequest> = {}) {
  const { id, extraction } = await admin.documents.extract({
    ...TARGET,
    documents: { files: false, fields: ['Body'], ...documents },
    ...more,
  });
  const job = await ended(id);
  return { done: job, ...(await admin.documents.extraction(extraction)) };
}

async function ended(id: string) {
  for await (const _ of admin.jobs.watch(id));
  return admin.jobs.get(id);
}

const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => Object(error).code as unknown,
  );

const shown = async (type: string, key: string) => {
  const {
    UID: _uid,
    Type: _type,
    Timestamp: _time,
    Id: _id,
    ...fields
  } = await admin.nodes.get({ type, key });
  return fields;
};
const isThere = async (type: string, key: string): Promise<boolean> =>
  (await codeOf(admin.nodes.get({ type, key }))) === 'no error';

/** What the graph holds of the types that are extracted, and of reports. */
async function state(): Promise<string> {
  const { token } = scene.people.workspace;
  const { url } = scene.people.workspace.server;
  const answer = await fetch(`${url}/api/graph/export?format=jsonl`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(200);
  return (await answer.text()).split('\n').toSorted().join('\n');
}

const nodes = (...keys: string[]) => keys.map((key, at) => nodeForms('Report', key)[at % 3]);
const approveAll = async (run: { readonly id: string }) => {
  const done = await admin.documents.approve(run.id);
  expect(done.refused).toEqual([]);
  return done.approved;
};

// First, as there is no other document then whose type is followed.
test('100 approvals and retractions at once leave what the documents say that are left', async () => {
  const keys = Array.from({ length: 100 }, (_, i) => `m${i}`);
  await admin.graph.ingest(
    keys.map((key) => ({
      op: 'addOrUpdate',
      type: 'Report',
      key,
      fields: { Body: `Zed Poe sails. Only ${key} says so.` },
    })),
  );
  scene.provider.script.turn = (asked) => {
    const [key = ''] = /m\d+/.exec(materialOf(asked).text) ?? [];
    return finds([person('Zed Poe', {}, 'Zed Poe'), person(key, { Trade: key }, `Only ${key}`)]);
  };
  const run = await extract({ nodes: nodes(...keys) });
  expect(run).toMatchObject({ read: 100, proposals: 200 });
  const before = await state();
  const outcomes = await Promise.all(
    keys.flatMap((key, document) => [
      admin.documents.approve(run.id, { document }),
      ...(document % 2 === 0 ? [admin.nodes.delete({ type: 'Report', key })] : []),
    ]),
  );
  expect(outcomes.length).toBe(150);
  const people = async () =>
    (await admin.nodes.query({ type: 'Person', take: 1_000 })).items.map(({ Id }) => String(Id));
  const odd = keys.filter((_, i) => i % 2 === 1);
  await expect
    .poll(async () => (await people()).filter((key) => key.startsWith('m')).toSorted())
    .toEqual(odd.toSorted());
  expect(await people()).toContain('Zed Poe');
  await Promise.all(odd.map((key) => admin.nodes.delete({ type: 'Report', key })));
  await expect.poll(async () => (await people()).filter((key) => /^m|^Zed/.test(key))).toEqual([]);
  const isOfReports = (line: string): boolean => /"m\d+"/.test(line);
  const left = (await state()).split('\n');
  expect(left).toEqual(before.split('\n').filter((line) => !isOfReports(line)));
});

test('a text becomes nodes and edges that rest on quotes, and goes with the document', async () => {
  const uid = await report('1', 'Ada Mole, a mate born in 1901, sailed the Aurora of 1,200 tons.');
  await admin.graph.ingest([
    { op: 'addOrUpdate', type: 'Ship', key: 'Aurora', fields: { Tons: 900 } },
  ]);
  script({
    'Ada Mole': finds(
      [
        person('Ada Mole', { Born: 1901, Trade: 'mate' }, 'Ada Mole, a mate born in 1901'),
        ship('Aurora', { Tons: 1200 }, 'Aurora of 1,200 tons', 0.7),
        person('Eve', { Born: 1900 }, 'Eve, born in 1900'),
        person('Ada Mole', { Salary: 5 }, 'Ada Mole'),
      ],
      [sails('Ada Mole', 'Aurora', 'sailed the Aurora')],
    ),
  });
  const run = await extract({ nodes: [{ type: 'Report', key: '1' }] });
  expect(run).toMatchObject({
    state: 'completed',
    documents: 1,
    read: 1,
    failed: 0,
    proposals: 3,
    dropped: 2,
    done: { state: 'succeeded', kind: 'document-extraction' },
    texts: [{ state: 'read', dropped: { quote: 1, schema: 1 }, open: 3, field: 'Body' }],
  });
  expect(await codeOf(extract({ type: 'Report' }, { edges: ['States'] }))).toBe('invalid_request');
  const before = await state();
  const { items, total } = await admin.documents.proposals(run.id);
  expect(total).toBe(3);
  expect(items).toMatchObject([
    { kind: 'node', type: 'Person', key: 'Ada Mole', existing: null, unquoted: [], offset: 0 },
    { kind: 'node', type: 'Ship', existing: nodeUid('Ship', 'Aurora'), confidence: 0.7 },
    { kind: 'edge', type: 'Sails', quote: 'sailed the Aurora', page: null },
  ]);
  const sure = await admin.documents.proposals(run.id, { minConfidence: 0.75, type: 'Ship' });
  expect(sure.total).toBe(0);
  const text = await admin.documents.proposalText(items[2]!.id);
  expect(text.before + text.quote + text.after).toContain('1901, sailed the Aurora of');

  // An edge whose end is not approved stays open, and says why.
  const [ada, aurora, edge] = items;
  expect(await admin.documents.approve(run.id, { proposals: [edge!.id] })).toMatchObject({
    approved: 0,
    refused: [{ id: edge!.id, code: 'node_not_found' }],
  });
  const changed = await admin.documents.changeProposal(ada!.id, {
    fields: { Born: 1901, Trade: 'first mate' },
  });
  expect(changed).toMatchObject({ fields: { Trade: 'first mate' }, unquoted: ['Trade'] });
  expect(await codeOf(admin.documents.changeProposal(ada!.id, { fields: { Born: 'x' } }))).toBe(
    'invalid_request',
  );
  expect(await admin.documents.approve(run.id)).toEqual({ approved: 3, refused: [] });
  expect(await admin.documents.approve(run.id)).toEqual({ approved: 0, refused: [] });
  expect(await shown('Person', 'Ada Mole')).toEqual({
    Name: 'Ada Mole',
    Born: 1901,
    Trade: 'first mate',
  });
  expect(await shown('Ship', 'Aurora')).toEqual({ Name: 'Aurora', Tons: 1200 });
  const exported = await state();
  expect(exported).toContain('Ada Mole, a mate born in 1901');
  expect(await codeOf(admin.documents.changeProposal(aurora!.id, {}))).toBe('proposal_not_open');

  // What the text does not say any more goes, and comes back as it was.
  await admin.nodes.update({ uid }, { fields: { Body: 'The Aurora of 1,200 tons.' } });
  await expect.poll(() => isThere('Person', 'Ada Mole')).toBe(false);
  expect(await shown('Ship', 'Aurora')).toMatchObject({ Tons: 1200 });
  await admin.nodes.update({ uid }, { fields: { Body: 'Nothing.' } });
  await expect.poll(() => shown('Ship', 'Aurora')).toMatchObject({ Tons: 900 });
  await admin.nodes.update(uid, {
    fields: { Body: 'Ada Mole, a mate born in 1901, sailed the Aurora of 1,200 tons.' },
  });
  expect(await state()).toBe(before);
});

test('what another document or a person says stays; the last one leaves the state of before', async () => {
  const uids = [
    await report('2', 'Ben Oar, a smith, built the Dawn.'),
    await report('3', 'Once more: Ben Oar, a smith, and his Dawn.'),
  ];
  script({
    built: finds(
      [person('Ben Oar', { Trade: 'smith' }, 'Ben Oar, a smith'), ship('Dawn', {}, 'the Dawn')],
      [sails('Ben Oar', 'Dawn', 'built the Dawn')],
    ),
    'Once more': finds(
      [person('Ben Oar', { Trade: 'smith' }, 'Ben Oar, a smith'), ship('Dawn', {}, 'his Dawn')],
      [sails('Ben Oar', 'Dawn', 'his Dawn')],
    ),
  });
  const run = await extract({ nodes: nodes('2', '3') });
  const before = await state();
  expect(await approveAll(run)).toBe(6);
  await admin.nodes.delete({ uid: uids[0]! });
  await expect
    .poll(async () => (await admin.documents.extraction(run.id)).texts[0]?.reason)
    .toBe('It was deleted.');
  expect(await shown('Person', 'Ben Oar')).toMatchObject({ Trade: 'smith' });
  expect(await state()).toContain('"Sails"');

  // A person who adds to a node keeps it.
  await admin.nodes.update({ type: 'Ship', key: 'Dawn' }, { fields: { Tons: 5 } });
  await admin.nodes.delete({ uid: uids[1]! });
  await expect.poll(() => isThere('Person', 'Ben Oar')).toBe(false);
  await expect.poll(() => shown('Ship', 'Dawn')).toEqual({ Name: 'Dawn', Tons: 5 });
  await admin.nodes.delete({ type: 'Ship', key: 'Dawn' });
  const isOfOthers = (line: string): boolean => !uids.some((uid) => line.includes(uid));
  const gone = before.split('\n').filter(isOfOthers);
  const left = (await state()).split('\n').filter(isOfOthers);
  const isOfReports = (line: string): boolean => /"key":"[23]"/.test(line);
  expect(left.filter((line) => !isOfReports(line))).toEqual(
    gone.filter((line) => !isOfReports(line)),
  );
});

test('nobody learns of a document from what was read out of it', async () => {
  const { people } = scene;
  const uid = await report('4', 'Cid Roe owns the Ember of 77 tons. Cid met Ann.');
  await report('5', 'Open talk.');
  await admin.access.putNode({ uid }, { users: [people.uid('bob')] });
  await admin.graph.ingest([
    { op: 'addOrUpdate', type: 'Ship', key: 'Ember', fields: {} },
    { op: 'addOrUpdate', type: 'Person', key: 'Cid', fields: {} },
    { op: 'addOrUpdate', type: 'Person', key: 'Ann', fields: {} },
  ]);
  script({
    'Cid Roe': finds(
      [
        person('Cid Roe', {}, 'Cid Roe owns'),
        ship('Ember', { Tons: 77 }, 'Ember of 77 tons'),
        ship('Ember', {}, 'the Ember'),
      ],
      [sails('Cid Roe', 'Ember', 'Cid Roe owns the Ember'), sails('Cid', 'Ember', 'Cid met Ann')],
    ),
  });
  const run = await extract({ nodes: nodes('4') });
  const done = await admin.documents.approve(run.id);
  expect([done.approved, done.refused.map(({ code }) => code)]).toEqual([
    3,
    ['access_widened', 'access_widened'],
  ]);
  const [ann, bob] = [clientOf('ann'), clientOf('bob')];
  const made = { type: 'Person', key: 'Cid Roe' };
  expect(await codeOf(ann.nodes.get(made))).toBe('node_not_found');
  expect(await codeOf(bob.nodes.get(made))).toBe('no error');
  expect(await ann.nodes.get({ type: 'Ship', key: 'Ember' })).not.toHaveProperty('Tons');
  expect(await codeOf(ann.documents.extraction(run.id))).toBe('forbidden');

  // Those who may see it, when the document is for others.
  await admin.access.putNode({ uid }, { users: [people.uid('ann')] });
  await expect.poll(() => codeOf(bob.nodes.get(made))).toBe('node_not_found');
});

test('a provider that fails leaves the other texts to be read, and nothing is read twice', async () => {
  for (const key of ['6', '7', '8']) await report(key, `Text ${key} of Dan Ash.`);
  script({
    'Text 6': says('I would rather not. Ignore the schema!'),
    'Text 7': { fault: { status: 429, body: '{"error":{"message":"slow down"}}' } },
    'Text 8': finds([person('Dan Ash', {}, 'Dan Ash')]),
  });
  const run = await extract({ nodes: nodes('6', '7', '8') });
  expect(run).toMatchObject({
    state: 'completed',
    read: 1,
    failed: 2,
    done: { state: 'succeeded' },
  });
  expect(run.texts.map(({ state: at }) => at)).toEqual(['failed', 'failed', 'read']);
  expect(run.texts[0]!.reason).toContain('something else than the schema');
  for (const { body } of scene.provider.requests) expect(body).not.toHaveProperty('tools');
  scene.provider.reset();
  script({ 'Text 6': finds([]), 'Text 7': finds([person('Dan Ash', { Born: 7 }, 'Dan Ash')]) });
  const { id } = await admin.documents.resume(run.id);
  await ended(id);
  expect(scene.provider.requests.map((one) => materialOf(one).text)).toEqual([
    'Text 6 of Dan Ash.',
    'Text 7 of Dan Ash.',
  ]);
  const { items } = await admin.documents.proposals(run.id);
  expect(items.map(({ unquoted }) => unquoted)).toEqual([['Born'], []]);
  expect(await codeOf(admin.documents.resume(run.id))).toBe('extraction_not_resumable');
  expect(await admin.documents.reject(run.id)).toEqual({ rejected: 2 });
  expect(await approveAll(run)).toBe(0);
  await admin.documents.deleteExtraction(run.id);
  expect(await codeOf(admin.documents.extraction(run.id))).toBe('extraction_not_found');

  // A run without tokens left ends, and says so.
  script({ 'Text 8': finds([]) });
  const spent = await extract({ nodes: nodes('7', '8') }, { maxTokens: 1 });
  expect(spent).toMatchObject({ state: 'out-of-tokens', texts: [{}, { state: 'waiting' }] });
});

test('the terminal reads a file page by page, lists what is proposed, and decides', async () => {
  const uid = await report('9', 'See the file.');
  const { server, token } = scene.people.workspace;
  const form = new FormData();
  const pdf = pdfDocument('Nothing here', 'Finn Lee sails the Gale');
  form.append('file', new File([new Uint8Array(pdf)], 'crew.pdf', { type: 'application/pdf' }));
  const uploaded = await fetch(`${server.url}/api/node/${uid}/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  expect(uploaded.status).toBe(201);
  await expect
    .poll(async () => (await admin.files.list(uid)).items.map(({ TextState }) => TextState))
    .toEqual(['extracted']);
  script({
    Finn: finds([person('Finn Lee', {}, 'Finn Lee', 0.9), ship('Gale', {}, 'the Gale', 0.4)]),
  });
  const run = async (...args: string[]) => {
    const at = { server: server.url, token, home: scene.people.workspace.storage };
    const done = await runTrellis(['documents', ...args, '--json'], at);
    expect(done.code, done.stderr).toBe(0);
    return JSON.parse(done.stdout);
  };
  const wanted = '--types Person Ship --edges Sails --watch'.split(' ');
  const found = await run('extract', 'Report/9', ...wanted);
  expect(found).toMatchObject({ state: 'completed', proposals: 2 });
  expect(materialOf(scene.provider.last)).toMatchObject({ document: 'crew.pdf', page: 1 });
  expect(await run('proposals', found.id, '--min-confidence', '0.5')).toMatchObject([
    { key: 'Finn Lee', page: 2, document: { file: { name: 'crew.pdf' } } },
  ]);
  expect(await run('approve', found.id, '--min-confidence', '0.5')).toMatchObject({ approved: 1 });
  expect(await run('reject', found.id)).toEqual({ rejected: 1 });
  expect(await run('show', found.id)).toMatchObject({ texts: [{ approved: 1, rejected: 1 }] });
  expect(await run('list', '--take', '1')).toMatchObject([{ id: found.id }]);

  // The file goes, and what it said.
  const [file] = (await admin.files.list(uid)).items;
  await admin.files.delete(file!.UID);
  await expect.poll(() => isThere('Person', 'Finn Lee')).toBe(false);
  expect(await run('proposals', found.id)).toEqual([]);
});

test('what is withheld, or for administrators alone, is not told by what documents say', async () => {
  const { people } = scene;
  await admin.schema.put({
    nodes: [
      { type: 'Secret', key: 'Number', fields: { Body: 'String' } },
      { type: 'Visit', key: 'Name', timestamp: 'At', fields: { At: 'Time' } },
    ],
    edges: [],
  });
  const rules = (types: object) => people.as('admin', 'PUT', '/api/access/types', { types });
  await rules({ Secret: { visibleTo: 'restricted' } });
  await admin.graph.ingest([
    { op: 'addOrUpdate', type: 'Secret', key: 's', fields: { Body: 'Jim Fox sails the Hind.' } },
    { op: 'addOrUpdate', type: 'Ship', key: 'Iris', fields: {} },
  ]);
  await report('30', 'Kim Ant came on 2020-01-01 with the Iris. Meg Ott did not.');
  script({
    'Jim Fox': finds(
      [
        person('Jim Fox', {}, 'Jim Fox'),
        ship('Hind', {}, 'the Hind'),
        ship('Hind', { Tons: 1 }, 'the Hind.'),
      ],
      [sails('Jim Fox', 'Hind', 'Jim Fox sails the Hind')],
    ),
    'Kim Ant': finds([
      person('Kim Ant', {}, 'Kim Ant'),
      ship('Iris', {}, 'with the Iris'),
      { ...person('Kim', { At: '2020-01-01T00:00:00Z' }, 'came on 2020-01-01'), type: 'Visit' },
    ]),
  });
  const secret = await extract({ nodes: [{ type: 'Secret', key: 's' }] });
  expect(await approveAll(secret)).toBe(4);
  const ann = clientOf('ann');
  expect(await codeOf(ann.nodes.get({ type: 'Ship', key: 'Hind' }))).toBe('node_not_found');
  const open = await extract({ nodes: nodes('30') }, { types: ['Person', 'Ship', 'Visit'] });
  expect(await approveAll(open)).toBe(3);
  expect(await state()).toContain('with the Iris');
  const node = { type: 'Report', key: '30' };
  await admin.graph.ingest([{ op: 'restrict', node, user: { uid: people.uid('bob') } }]);
  await expect
    .poll(() => codeOf(ann.nodes.get({ type: 'Person', key: 'Kim Ant' })))
    .toBe('node_not_found');
  await rules({ Secret: { visibleTo: 'restricted' }, Report: { fields: { Body: { users: [] } } } });
  await expect.poll(async () => (await state()).includes('with the Iris"')).toBe(false);
  await rules({});
});

test('what documents said is taken back after a field got another type or name', async () => {
  await report('20', 'Gus Ray, a cook, weighs 5 stone, as Hal Poe does. Gus Ray sails the Kite.');
  const gus = { type: 'Person', key: 'Gus Ray' };
  await admin.graph.ingest([{ op: 'addOrUpdate', ...gus, fields: { Born: 9 } }]);
  const stated = { Born: 5, Trade: 'cook' };
  script({
    'Gus Ray': finds(
      [
        person('Gus Ray', stated, 'Gus Ray, a cook, weighs 5'),
        person('Hal Poe', stated, 'as Hal Poe does'),
        ship('Kite', {}, 'the Kite'),
      ],
      [sails('Gus Ray', 'Kite', 'Gus Ray sails the Kite')],
    ),
  });
  expect(await approveAll(await extract({ nodes: nodes('20') }))).toBe(4);
  const changes = [
    { retype: { type: 'Person', field: 'Born', to: 'String' } },
    { rename: { type: 'Person', field: 'Trade', to: 'Craft' } },
    { rename: { edge: 'Sails', to: 'SailsOn' } },
    { rename: { type: 'Person', to: 'Human' } },
  ] as const;
  await admin.schema.change({ changes, force: true });
  expect(await shown('Person', 'Gus Ray')).toMatchObject({ Born: '5', Craft: 'cook' });
  await admin.nodes.delete({ type: 'Report', key: '20' });
  await expect.poll(() => shown('Person', 'Gus Ray')).toEqual({ Name: 'Gus Ray', Born: '9' });
  expect(await isThere('Person', 'Hal Poe')).toBe(false);
  expect(await isThere('Ship', 'Kite')).toBe(false);
});
