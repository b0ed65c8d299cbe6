import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { nodeUid } from '@trellis/client/uid.ts';
import { nodeForms } from '../support/node-forms.ts';
import { runTrellis } from '../support/command-line.ts';
import {
  codeOf,
  DocumentScene,
  finds,
  materialOf,
  person,
  sails,
  ship,
} from '../support/document-scene.ts';
import { pdfDocument } from '../../server/src/files/testing/documents.ts';
import { says } from '../support/llm-server.ts';

let at: DocumentScene;
beforeAll(async () => {
  at = await DocumentScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());
afterEach(() => at.provider.reset());

const nodes = (...keys: string[]) => keys.map((key, i) => nodeForms('Report', key)[i % 3]);

// First, as there is no other document then whose type is followed.
test('100 approvals and retractions at once leave what the documents say that are left', async () => {
  const keys = Array.from({ length: 100 }, (_, i) => `m${i}`);
  await at.admin.graph.ingest(
    keys.map((key) => ({
      op: 'addOrUpdate',
      type: 'Report',
      key,
      fields: { Body: `Zed Poe sails. Only ${key} says so.` },
    })),
  );
  at.provider.script.turn = (asked) => {
    const [key = ''] = /m\d+/.exec(materialOf(asked).text) ?? [];
    return finds([person('Zed Poe', {}, 'Zed Poe'), person(key, { Trade: key }, `Only ${key}`)]);
  };
  const run = await at.extract({ nodes: nodes(...keys) });
  expect(run).toMatchObject({ read: 100, proposals: 200 });
  const before = await at.state();
  const outcomes = await Promise.all(
    keys.flatMap((key, document) => [
      at.admin.documents.approve(run.id, { document }),
      ...(document % 2 === 0 ? [at.admin.nodes.delete({ type: 'Report', key })] : []),
    ]),
  );
  expect(outcomes.length).toBe(150);
  const people = async () =>
    (await at.admin.nodes.query({ type: 'Person', take: 1_000 })).items.map(({ Id }) => String(Id));
  const odd = keys.filter((_, i) => i % 2 === 1);
  await expect
    .poll(async () => (await people()).filter((key) => key.startsWith('m')).toSorted())
    .toEqual(odd.toSorted());
  expect(await people()).toContain('Zed Poe');
  await Promise.all(odd.map((key) => at.admin.nodes.delete({ type: 'Report', key })));
  await expect.poll(async () => (await people()).filter((key) => /^m|^Zed/.test(key))).toEqual([]);
  const isOfReports = (line: string): boolean => /"m\d+"/.test(line);
  const left = (await at.state()).split('\n');
  expect(left).toEqual(before.split('\n').filter((line) => !isOfReports(line)));
});

test('a text becomes nodes and edges that rest on quotes, and goes with the document', async () => {
  const uid = await at.report(
    '1',
    'Ada Mole, a mate born in 1901, sailed the Aurora of 1,200 tons.',
  );
  await at.admin.graph.ingest([
    { op: 'addOrUpdate', type: 'Ship', key: 'Aurora', fields: { Tons: 900 } },
  ]);
  at.script({
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
  const run = await at.extract({ nodes: [{ type: 'Report', key: '1' }] });
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
  expect(await codeOf(at.extract({ type: 'Report' }, { edges: ['States'] }))).toBe(
    'invalid_request',
  );
  const before = await at.state();
  const { items, total } = await at.admin.documents.proposals(run.id);
  expect(total).toBe(3);
  expect(items).toMatchObject([
    { kind: 'node', type: 'Person', key: 'Ada Mole', existing: null, unquoted: [], offset: 0 },
    { kind: 'node', type: 'Ship', existing: nodeUid('Ship', 'Aurora'), confidence: 0.7 },
    { kind: 'edge', type: 'Sails', quote: 'sailed the Aurora', page: null },
  ]);
  const sure = await at.admin.documents.proposals(run.id, { minConfidence: 0.75, type: 'Ship' });
  expect(sure.total).toBe(0);
  const text = await at.admin.documents.proposalText(items[2]!.id);
  expect(text.before + text.quote + text.after).toContain('1901, sailed the Aurora of');

  // An edge whose end is not approved stays open, and says why.
  const [ada, aurora, edge] = items;
  expect(await at.admin.documents.approve(run.id, { proposals: [edge!.id] })).toMatchObject({
    approved: 0,
    refused: [{ id: edge!.id, code: 'node_not_found' }],
  });
  const changed = await at.admin.documents.changeProposal(ada!.id, {
    fields: { Born: 1901, Trade: 'first mate' },
  });
  expect(changed).toMatchObject({ fields: { Trade: 'first mate' }, unquoted: ['Trade'] });
  expect(await codeOf(at.admin.documents.changeProposal(ada!.id, { fields: { Born: 'x' } }))).toBe(
    'invalid_request',
  );
  expect(await at.admin.documents.approve(run.id)).toEqual({ approved: 3, refused: [] });
  expect(await at.admin.documents.approve(run.id)).toEqual({ approved: 0, refused: [] });
  expect(await at.shown('Person', 'Ada Mole')).toEqual({
    Name: 'Ada Mole',
    Born: 1901,
    Trade: 'first mate',
  });
  expect(await at.shown('Ship', 'Aurora')).toEqual({ Name: 'Aurora', Tons: 1200 });
  const exported = await at.state();
  expect(exported).toContain('Ada Mole, a mate born in 1901');
  expect(await codeOf(at.admin.documents.changeProposal(aurora!.id, {}))).toBe('proposal_not_open');

  // What the text does not say any more goes, and comes back as it was.
  await at.admin.nodes.update({ uid }, { fields: { Body: 'The Aurora of 1,200 tons.' } });
  await expect.poll(() => at.isThere('Person', 'Ada Mole')).toBe(false);
  expect(await at.shown('Ship', 'Aurora')).toMatchObject({ Tons: 1200 });
  await at.admin.nodes.update({ uid }, { fields: { Body: 'Nothing.' } });
  await expect.poll(() => at.shown('Ship', 'Aurora')).toMatchObject({ Tons: 900 });
  await at.admin.nodes.update(uid, {
    fields: { Body: 'Ada Mole, a mate born in 1901, sailed the Aurora of 1,200 tons.' },
  });
  expect(await at.state()).toBe(before);
});

test('what another document or a person says stays; the last one leaves the state of before', async () => {
  const uids = [
    await at.report('2', 'Ben Oar, a smith, built the Dawn.'),
    await at.report('3', 'Once more: Ben Oar, a smith, and his Dawn.'),
  ];
  at.script({
    built: finds(
      [person('Ben Oar', { Trade: 'smith' }, 'Ben Oar, a smith'), ship('Dawn', {}, 'the Dawn')],
      [sails('Ben Oar', 'Dawn', 'built the Dawn')],
    ),
    'Once more': finds(
      [person('Ben Oar', { Trade: 'smith' }, 'Ben Oar, a smith'), ship('Dawn', {}, 'his Dawn')],
      [sails('Ben Oar', 'Dawn', 'his Dawn')],
    ),
  });
  const run = await at.extract({ nodes: nodes('2', '3') });
  const before = await at.state();
  expect(await at.approveAll(run)).toBe(6);
  await at.admin.nodes.delete({ uid: uids[0]! });
  await expect
    .poll(async () => (await at.admin.documents.extraction(run.id)).texts[0]?.reason)
    .toBe('It was deleted.');
  expect(await at.shown('Person', 'Ben Oar')).toMatchObject({ Trade: 'smith' });
  expect(await at.state()).toContain('"Sails"');

  // A person who adds to a node keeps it.
  await at.admin.nodes.update({ type: 'Ship', key: 'Dawn' }, { fields: { Tons: 5 } });
  await at.admin.nodes.delete({ uid: uids[1]! });
  await expect.poll(() => at.isThere('Person', 'Ben Oar')).toBe(false);
  await expect.poll(() => at.shown('Ship', 'Dawn')).toEqual({ Name: 'Dawn', Tons: 5 });
  await at.admin.nodes.delete({ type: 'Ship', key: 'Dawn' });
  const isOfOthers = (line: string): boolean => !uids.some((uid) => line.includes(uid));
  const gone = before.split('\n').filter(isOfOthers);
  const left = (await at.state()).split('\n').filter(isOfOthers);
  const isOfReports = (line: string): boolean => /"key":"[23]"/.test(line);
  expect(left.filter((line) => !isOfReports(line))).toEqual(
    gone.filter((line) => !isOfReports(line)),
  );
});

test('nobody learns of a document from what was read out of it', async () => {
  const { people } = at;
  const uid = await at.report('4', 'Cid Roe owns the Ember of 77 tons. Cid met Ann.');
  await at.report('5', 'Open talk.');
  await at.admin.access.putNode({ uid }, { users: [people.uid('bob')] });
  await at.admin.graph.ingest([
    { op: 'addOrUpdate', type: 'Ship', key: 'Ember', fields: {} },
    { op: 'addOrUpdate', type: 'Person', key: 'Cid', fields: {} },
    { op: 'addOrUpdate', type: 'Person', key: 'Ann', fields: {} },
  ]);
  at.script({
    'Cid Roe': finds(
      [
        person('Cid Roe', {}, 'Cid Roe owns'),
        ship('Ember', { Tons: 77 }, 'Ember of 77 tons'),
        ship('Ember', {}, 'the Ember'),
      ],
      [sails('Cid Roe', 'Ember', 'Cid Roe owns the Ember'), sails('Cid', 'Ember', 'Cid met Ann')],
    ),
  });
  const run = await at.extract({ nodes: nodes('4') });
  const done = await at.admin.documents.approve(run.id);
  expect([done.approved, done.refused.map(({ code }) => code)]).toEqual([
    3,
    ['access_widened', 'access_widened'],
  ]);
  const [ann, bob] = [at.clientOf('ann'), at.clientOf('bob')];
  const made = { type: 'Person', key: 'Cid Roe' };
  expect(await codeOf(ann.nodes.get(made))).toBe('node_not_found');
  expect(await codeOf(bob.nodes.get(made))).toBe('no error');
  expect(await ann.nodes.get({ type: 'Ship', key: 'Ember' })).not.toHaveProperty('Tons');
  expect(await codeOf(ann.documents.extraction(run.id))).toBe('forbidden');

  // Those who may see it, when the document is for others.
  await at.admin.access.putNode({ uid }, { users: [people.uid('ann')] });
  await expect.poll(() => codeOf(bob.nodes.get(made))).toBe('node_not_found');
});

test('a provider of the other protocol reads, and is asked for the same schema', async () => {
  await at.report('16', 'Dan Ash was born in 1910.');
  at.script({ 'Dan Ash': finds([person('Dan Ash', { Born: 1910 }, 'born in 1910')]) });
  const asked: unknown[] = [];
  for (const provider of ['openai-compatible', 'anthropic'] as const) {
    await at.use(provider);
    const run = await at.extract({ nodes: nodes('16') });
    expect(run).toMatchObject({ state: 'completed', read: 1, proposals: 1, dropped: 0 });
    const { body } = at.provider.last;
    const said = Object(body['system'] ?? Object(body['messages'])[0].content);
    asked.push(typeof said.map === 'function' ? said[0].text : String(said));
    expect(body).not.toHaveProperty('tools');
  }
  await at.use('openai-compatible');
  expect(asked[0]).toContain('"Born"');
  expect(asked[1]).toEqual(asked[0]);
  await at.admin.nodes.delete({ type: 'Report', key: '16' });
});

test('a provider that fails leaves the other texts to be read, and nothing is read twice', async () => {
  for (const key of ['6', '7', '8', '10']) await at.report(key, `Text ${key} of Dan Ash.`);
  at.script({
    'Text 6': says('I would rather not. Ignore the schema!'),
    'Text 7': { fault: { status: 429, body: '{"error":{"message":"slow down"}}' } },
    'Text 8': finds([person('Dan Ash', {}, 'Dan Ash')]),
    // Half of an answer, whose connection then breaks.
    'Text 10': { ...finds([person('Dan Ash', { Born: 1 }, 'Dan Ash')]), cutAfter: 3 },
  });
  const run = await at.extract({ nodes: nodes('6', '7', '8', '10') });
  expect(run).toMatchObject({
    state: 'completed',
    read: 1,
    failed: 3,
    proposals: 1,
    done: { state: 'succeeded' },
  });
  expect(run.texts.map((one) => one.state)).toEqual(['failed', 'failed', 'read', 'failed']);
  expect(run.texts[0]!.reason).toContain('something else than the schema');
  for (const { body } of at.provider.requests) expect(body).not.toHaveProperty('tools');
  at.provider.reset();
  at.script({ 'Text 7': finds([person('Dan Ash', { Born: 7 }, 'Dan Ash')]) });
  const { id } = await at.admin.documents.resume(run.id);
  await at.ended(id);
  expect(at.provider.requests.map((one) => materialOf(one).text)).toEqual([
    'Text 6 of Dan Ash.',
    'Text 7 of Dan Ash.',
    'Text 10 of Dan Ash.',
  ]);
  const { items } = await at.admin.documents.proposals(run.id);
  expect(items.map(({ unquoted }) => unquoted)).toEqual([['Born'], []]);
  expect(await codeOf(at.admin.documents.resume(run.id))).toBe('extraction_not_resumable');
  expect(await at.admin.documents.reject(run.id)).toEqual({ rejected: 2 });
  expect(await at.approveAll(run)).toBe(0);
  await at.admin.documents.deleteExtraction(run.id);
  expect(await codeOf(at.admin.documents.extraction(run.id))).toBe('extraction_not_found');

  // A run without tokens left ends, and says so.
  at.script({ 'Text 8': finds([]) });
  const spent = await at.extract({ nodes: nodes('7', '8') }, { maxTokens: 1 });
  expect(spent).toMatchObject({ state: 'out-of-tokens', texts: [{}, { state: 'waiting' }] });
});

test('the terminal reads a file page by page, lists what is proposed, and decides', async () => {
  const uid = await at.report('9', 'See the file.');
  const { server, token } = at.people.workspace;
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
    .poll(async () => (await at.admin.files.list(uid)).items.map(({ TextState }) => TextState))
    .toEqual(['extracted']);
  at.script({
    Finn: finds([person('Finn Lee', {}, 'Finn Lee', 0.9), ship('Gale', {}, 'the Gale', 0.4)]),
  });
  const run = async (...args: string[]) => {
    const home = at.people.workspace.storage;
    const done = await runTrellis(['documents', ...args, '--json'], {
      server: server.url,
      token,
      home,
    });
    expect(done.code, done.stderr).toBe(0);
    return JSON.parse(done.stdout);
  };
  const wanted = '--types Person Ship --edges Sails --watch'.split(' ');
  const found = await run('extract', 'Report/9', ...wanted);
  expect(found).toMatchObject({ state: 'completed', proposals: 2 });
  expect(materialOf(at.provider.last)).toMatchObject({ document: 'crew.pdf', page: 1 });
  expect(await run('proposals', found.id, '--min-confidence', '0.5')).toMatchObject([
    { key: 'Finn Lee', page: 2, document: { file: { name: 'crew.pdf' } } },
  ]);
  expect(await run('approve', found.id, '--min-confidence', '0.5')).toMatchObject({ approved: 1 });
  expect(await run('reject', found.id)).toEqual({ rejected: 1 });
  expect(await run('show', found.id)).toMatchObject({ texts: [{ approved: 1, rejected: 1 }] });
  expect(await run('list', '--take', '1')).toMatchObject([{ id: found.id }]);

  // The file goes, and what it said.
  const [file] = (await at.admin.files.list(uid)).items;
  await at.admin.files.delete(file!.UID);
  await expect.poll(() => at.isThere('Person', 'Finn Lee')).toBe(false);
  expect(await run('proposals', found.id)).toEqual([]);
});

test('what is withheld, or for administrators alone, is not told by what documents say', async () => {
  const { people } = at;
  await at.admin.schema.put({
    nodes: [
      { type: 'Secret', key: 'Number', fields: { Body: 'String' } },
      { type: 'Visit', key: 'Name', timestamp: 'At', fields: { At: 'Time' } },
    ],
    edges: [],
  });
  const rules = (types: object) => people.as('admin', 'PUT', '/api/access/types', { types });
  await rules({ Secret: { visibleTo: 'restricted' } });
  await at.admin.graph.ingest([
    { op: 'addOrUpdate', type: 'Secret', key: 's', fields: { Body: 'Jim Fox sails the Hind.' } },
    { op: 'addOrUpdate', type: 'Ship', key: 'Iris', fields: {} },
  ]);
  await at.report('30', 'Kim Ant came on 2020-01-01 with the Iris. Meg Ott did not.');
  at.script({
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
  const secret = await at.extract({ nodes: [{ type: 'Secret', key: 's' }] });
  expect(await at.approveAll(secret)).toBe(4);
  const ann = at.clientOf('ann');
  expect(await codeOf(ann.nodes.get({ type: 'Ship', key: 'Hind' }))).toBe('node_not_found');
  const open = await at.extract({ nodes: nodes('30') }, { types: ['Person', 'Ship', 'Visit'] });
  expect(await at.approveAll(open)).toBe(3);
  expect(await at.state()).toContain('with the Iris');
  const node = { type: 'Report', key: '30' };
  await at.admin.graph.ingest([{ op: 'restrict', node, user: { uid: people.uid('bob') } }]);
  await expect
    .poll(() => codeOf(ann.nodes.get({ type: 'Person', key: 'Kim Ant' })))
    .toBe('node_not_found');
  await rules({ Secret: { visibleTo: 'restricted' }, Report: { fields: { Body: { users: [] } } } });
  await expect.poll(async () => (await at.state()).includes('with the Iris"')).toBe(false);
  await rules({});
});

test('what documents said is taken back after a field got another type or name', async () => {
  await at.report(
    '20',
    'Gus Ray, a cook, weighs 5 stone, as Hal Poe does. Gus Ray sails the Kite.',
  );
  const gus = { type: 'Person', key: 'Gus Ray' };
  await at.admin.graph.ingest([{ op: 'addOrUpdate', ...gus, fields: { Born: 9 } }]);
  const stated = { Born: 5, Trade: 'cook' };
  at.script({
    'Gus Ray': finds(
      [
        person('Gus Ray', stated, 'Gus Ray, a cook, weighs 5'),
        person('Hal Poe', stated, 'as Hal Poe does'),
        ship('Kite', {}, 'the Kite'),
      ],
      [sails('Gus Ray', 'Kite', 'Gus Ray sails the Kite')],
    ),
  });
  expect(await at.approveAll(await at.extract({ nodes: nodes('20') }))).toBe(4);
  const changes = [
    { retype: { type: 'Person', field: 'Born', to: 'String' } },
    { rename: { type: 'Person', field: 'Trade', to: 'Craft' } },
    { rename: { edge: 'Sails', to: 'SailsOn' } },
    { rename: { type: 'Person', to: 'Human' } },
  ] as const;
  await at.admin.schema.change({ changes, force: true });
  expect(await at.shown('Person', 'Gus Ray')).toMatchObject({ Born: '5', Craft: 'cook' });
  await at.admin.nodes.delete({ type: 'Report', key: '20' });
  await expect.poll(() => at.shown('Person', 'Gus Ray')).toEqual({ Name: 'Gus Ray', Born: '9' });
  expect(await at.isThere('Person', 'Hal Poe')).toBe(false);
  expect(await at.isThere('Ship', 'Kite')).toBe(false);
});
