import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { nodeUid } from '@trellis/client/uid.ts';
import type { ExtractionRequest } from '@trellis/contract/shapes/extraction.ts';
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
  expect(changed.fields).toMatchObject({ Trade: 'first mate' });
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
