import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeUid } from '@trellis/client/uid.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import {
  codeOf,
  DocumentScene,
  finds,
  materialOf,
  person,
  sails,
  ship,
} from '../support/document-scene.ts';
import { scale, seed } from '../support/scale.ts';

/** People of two sources, who may be the same, and ships that they sail. */
const KEYS = ['p', 'q', 'r'];
const SHIPS = ['Lark', 'Wren'];
const REPORT = { type: 'Report', key: 'doc' };

let at: DocumentScene;
let teams: string[];

beforeAll(async () => {
  at = await DocumentScene.start();
  teams = [];
  for (const name of ['North', 'South']) {
    const made = await at.people.as('admin', 'PUT', '/api/groups/group', { name });
    teams.push(String(Object(made.json).UID));
  }
});
afterAll(() => at[Symbol.asyncDispose]());

const one = (key: string) => ({ type: 'Person', key });

interface Manifest {
  readonly digest: string;
  readonly lines: readonly string[];
}

/** What the graph holds, with who sees what of the nodes of this test, and a digest of it. */
async function manifest(): Promise<Manifest> {
  const lines = (await at.state())
    .split('\n')
    .filter((line) => line.startsWith('{') && !line.startsWith('{"op":"schema"'));
  for (const uid of KEYS.map((key) => nodeUid('Person', key))) {
    const seen = await at.people.as('admin', 'GET', `/api/access/nodes/${uid}`);
    lines.push(`${uid} ${seen.status} ${seen.status === 200 ? seen.text : ''}`);
  }
  return { lines, digest: createHash('sha256').update(lines.join('\n')).digest('hex') };
}

const fields = fc.record(
  { Born: fc.constantFrom(1900, 1901), Trade: fc.constantFrom('cook', 'mate') },
  { requiredKeys: [] },
);
const given = fc.record({
  people: fc.array(fields, { minLength: KEYS.length, maxLength: KEYS.length }),
  edges: fc.array(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...SHIPS)), { maxLength: 5 }),
  restricted: fc.array(fc.tuple(fc.constantFrom(...KEYS), fc.nat(1)), { maxLength: 3 }),
  merges: fc.uniqueArray(
    fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...KEYS)).filter(([a, b]) => a !== b),
    { minLength: 1, maxLength: 2 },
  ),
  /** Of whom the document speaks, and what it says. */
  said: fc.record({
    who: fc.constantFrom(...KEYS),
    isNew: fc.boolean(),
    fields,
    ship: fc.option(fc.constantFrom(...SHIPS)),
    /** What it says of another one, who is there. */
    other: fc.option(fc.record({ who: fc.constantFrom(...KEYS), fields })),
  }),
  /** Which of the merges that are left is split next. */
  order: fc.array(fc.nat(1), { minLength: 2, maxLength: 2 }),
});

type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

function operationsOf({ people, edges, restricted, said }: Given): GraphOperation[] {
  const isThere = (key: string): boolean => !(said.isNew && key === said.who);
  return [
    ...SHIPS.map((key) => ({ op: 'addOrUpdate', type: 'Ship', key, fields: {} }) as const),
    ...KEYS.filter(isThere).map(
      (key, i) => ({ op: 'addOrUpdate', ...one(key), fields: people[i]! }) as const,
    ),
    ...edges
      .filter(([key]) => isThere(key))
      .map(
        ([from, key]) =>
          ({ op: 'link', from: one(from), edge: 'Sails', to: { type: 'Ship', key } }) as const,
      ),
    ...restricted
      .filter(([key]) => isThere(key))
      .map(
        ([key, team]) => ({ op: 'restrict', node: one(key), team: { uid: teams[team]! } }) as const,
      ),
  ];
}

/** Resolves with how much of what the document says was approved. */
async function approve({ said }: Given): Promise<number> {
  const { who, ship: sailed, other } = said;
  const quote = 'The document says so';
  at.provider.script.turn = (asked) =>
    materialOf(asked).text.includes(quote)
      ? finds(
          [
            person(who, said.fields, quote),
            ...(other === null ? [] : [person(other.who, other.fields, quote)]),
            ...(sailed === null ? [] : [ship(sailed, {}, quote)]),
          ],
          sailed === null ? [] : [sails(who, sailed, quote)],
        )
      : finds([]);
  const run = await at.extract({ nodes: [REPORT] });
  return (await at.admin.documents.approve(run.id)).approved;
}

/** Resolves once what the document says is taken back. */
async function retract(approved: number): Promise<void> {
  const last = async () =>
    (await at.admin.audit.list({ action: 'document.retracted', take: 1 })).items[0]?.uid;
  const before = await last();
  await at.admin.nodes.delete(REPORT);
  if (approved > 0) await expect.poll(last).not.toBe(before);
}

test('a document that spoke of merged nodes gives neither what the other had', async () => {
  const lea = (key: string) => ({ type: 'Person', key });
  const trade = async (key: string): Promise<unknown> =>
    Object(await at.admin.nodes.get(lea(key))).Trade;
  await at.admin.graph.ingest([
    { op: 'addOrUpdate', ...lea('lea'), fields: { Born: 1900 } },
    { op: 'addOrUpdate', ...lea('leah'), fields: { Trade: 'cook' } },
  ]);
  const { id } = await at.admin.duplicates.merge({ into: lea('lea'), node: lea('leah') });
  expect(await trade('lea')).toBe('cook');
  await at.report('doc', 'Lea is a mate.');
  at.provider.script.turn = () => finds([person('lea', { Trade: 'mate' }, 'Lea is a mate')], []);
  const run = await at.extract({ nodes: [REPORT] });
  await at.admin.documents.approve(run.id);
  expect(await trade('lea')).toBe('mate');
  await at.admin.duplicates.split(id);
  expect([await trade('lea'), await trade('leah')]).toEqual(['mate', 'cook']);
  await retract(1);
  await expect.poll(() => trade('lea')).toBeUndefined();
  expect(await trade('leah')).toBe('cook');
  await at.admin.graph.ingest(['lea', 'leah'].map((key) => ({ op: 'delete', ...lea(key) })));
});

/** Resolves with the merges that were made, the last one first. */
async function mergeAll({ merges }: Given): Promise<string[]> {
  const done: string[] = [];
  for (const [into, node] of merges) {
    try {
      done.unshift((await at.admin.duplicates.merge({ into: one(into), node: one(node) })).id);
    } catch (error) {
      // One of them is not there, or they are one by now.
      expect(['node_not_found', 'merge_refused']).toContain(Object(error).code);
    }
  }
  return done;
}

async function splitAll(merges: readonly string[]): Promise<void> {
  for (const id of merges) await at.admin.duplicates.split(id);
}

/** Splits in an order of its own, as far as a node allows it. */
async function splitBy(merges: readonly string[], order: readonly number[]): Promise<void> {
  const left = [...merges];
  for (let i = 0; left.length > 0; i++) {
    const next = (order[i] ?? 0) % left.length;
    const code = await codeOf(at.admin.duplicates.split(left[next]!));
    if (code === 'merge_not_last') await at.admin.duplicates.split(left[0]!);
    else expect(code).toBe('no error');
    left.splice(code === 'merge_not_last' ? 0 : next, 1);
  }
}

async function clear(): Promise<void> {
  for (const { id } of (await at.admin.documents.extractions()).items) {
    await at.admin.documents.deleteExtraction(id);
  }
  await at.admin.graph.ingest(
    [...KEYS.map(one), ...SHIPS.map((key) => ({ type: 'Ship', key }))].map(
      (node) => ({ op: 'delete', ...node }) as const,
    ),
  );
}

const ROUNDS = { numRuns: scale({ sample: 6, soak: 200 }), seed: seed() };

test('what a document says is merged and split with the nodes, and goes with it', async () => {
  await fc.assert(
    fc.asyncProperty(given, async (round) => {
      await at.admin.graph.ingest(operationsOf(round));
      const before = await manifest();
      await at.report('doc', 'The document says so.');
      const approved = await approve(round);
      const said = await manifest();
      await splitAll(await mergeAll(round));
      expect((await manifest()).lines).toEqual(said.lines);
      await retract(approved);
      await expect.poll(async () => (await manifest()).lines).toEqual(before.lines);
      expect((await manifest()).digest).toBe(before.digest);
      await clear();
    }),
    ROUNDS,
  );
});

test('a document that is deleted while nodes are merged leaves what there would be without it', async () => {
  await fc.assert(
    fc.asyncProperty(given, async (round) => {
      await at.admin.graph.ingest(operationsOf(round));
      const before = await manifest();
      const plain = await mergeAll(round);
      const merged = await manifest();
      await splitAll(plain);
      await at.report('doc', 'The document says so.');
      const approved = await approve(round);
      const done = await mergeAll(round);
      await retract(approved);
      // A node that the document alone has made stays as long as it is one with another.
      if (!round.said.isNew) {
        await expect.poll(async () => (await manifest()).lines).toEqual(merged.lines);
      }
      await splitBy(done, round.order);
      await expect.poll(async () => (await manifest()).lines).toEqual(before.lines);
      expect((await manifest()).digest).toBe(before.digest);
      await clear();
    }),
    ROUNDS,
  );
});
