import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DocumentScene, finds, person, sails, ship } from '../support/document-scene.ts';
import { scale, seed } from '../support/scale.ts';

let at: DocumentScene;
beforeAll(async () => {
  at = await DocumentScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());
afterEach(() => clear());

async function clear(): Promise<void> {
  at.provider.reset();
  for (const { id } of (await at.admin.documents.extractions()).items) {
    await at.admin.documents.deleteExtraction(id);
  }
  const all = [LEA, LEAH, LIA, LARK, ...['doc', 'other'].map(report)];
  await looked(() =>
    at.admin.graph.ingest(all.map((node) => ({ op: 'delete', ...node }) as const)),
  );
}

const LEA = { type: 'Person', key: 'lea' } as const;
const LEAH = { type: 'Person', key: 'leah' } as const;
const LIA = { type: 'Person', key: 'lia' } as const;
const LARK = { type: 'Ship', key: 'Lark' } as const;
const report = (key: string) => ({ type: 'Report', key });
const lea = (fields: object, quote: string, sure?: number) => person(LEA.key, fields, quote, sure);
const leah = (fields: object, quote: string, sure?: number) =>
  person(LEAH.key, fields, quote, sure);

async function people(ofLea: object, ofLeah: object): Promise<void> {
  await at.admin.graph.ingest([
    { op: 'addOrUpdate', ...LEA, fields: { ...ofLea } },
    { op: 'addOrUpdate', ...LEAH, fields: { ...ofLeah } },
  ]);
}

/** Approves what a report says, whose text is the quotes. */
async function approve(key: string, nodes: readonly object[], edges: readonly object[] = []) {
  const all = [...nodes, ...edges].map((one) => String(Object(one).quote));
  const there = await at.isThere('Report', key);
  const before = there ? String(Object(await at.admin.nodes.get(report(key))).Body) : '';
  const missing = all.filter((quote) => !before.includes(quote));
  await at.report(key, [before, ...new Set(missing)].filter((part) => part !== '').join('. '));
  at.provider.script.turn = () => finds(nodes, edges);
  const run = await at.extract({ nodes: [report(key)] });
  expect(await at.approveAll(run)).toBe(all.length);
}

const merge = async () => (await at.admin.duplicates.merge({ into: LEA, node: LEAH })).id;
const split = (id: string) => at.admin.duplicates.split(id);

/** Does something after which documents are looked at, and resolves when that is done. */
async function looked(act: () => Promise<unknown>): Promise<void> {
  const lastOf = async () =>
    (await at.admin.audit.list({ action: 'document.retracted', take: 1 })).items[0]?.uid;
  await approve('probe', [ship('Probe', { Tons: 1 }, 'The probe')]);
  await act();
  const before = await lastOf();
  // Looks are taken in the order of the log.
  await at.admin.nodes.delete(report('probe'));
  await expect.poll(() => at.isThere('Ship', 'Probe')).toBe(false);
  await expect.poll(lastOf).not.toBe(before);
}

const deleted = (key: string) => looked(() => at.admin.nodes.delete(report(key)));
const changed = (key: string, Body: string) =>
  looked(() => at.admin.nodes.update(report(key), { fields: { Body } }));

const values = async () => [await fieldsOf(LEA.key), await fieldsOf(LEAH.key)];
async function fieldsOf(key: string): Promise<object> {
  const { Name: _, ...fields } = Object(await at.shown('Person', key));
  return fields;
}

/** The nodes and edges that there are, without the times of both. */
async function graph(): Promise<readonly Record<string, unknown>[]> {
  const lines = (await at.state()).split('\n').filter((line) => line.startsWith('{'));
  return lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ op }) => op !== 'schema')
    .map(({ timestamp: _time, ...one }) => one);
}

/** The quote on the edge from each node to a report, by the key of the node. */
async function quotes(key: string): Promise<Record<string, unknown>> {
  const edges = (await graph()).filter(({ edge, to }) => {
    return edge === 'StatedIn' && Object(to).key === key;
  });
  return Object.fromEntries(
    edges.map(({ from, fields }) => [Object(from).key, Object(fields).Quote]),
  );
}

test('a document that is changed while nodes are merged takes back of each what it had said', async () => {
  await people({ Born: 1900 }, {});
  await approve(
    'doc',
    [
      lea({ Trade: 'mate' }, 'Lea is a mate'),
      leah({ Trade: 'cook' }, 'Leah is a cook'),
      leah({ Born: 1901 }, 'Leah was born in 1901', 0.7),
      ship(LARK.key, {}, 'The Lark'),
    ],
    [sails(LEAH.key, LARK.key, 'Leah sails')],
  );
  const id = await merge();
  expect(await fieldsOf(LEA.key)).toEqual({ Born: 1900, Trade: 'mate' });
  await changed('doc', 'Leah is a cook. Leah was born in 1901. The Lark.');
  expect(await fieldsOf(LEA.key)).toEqual({ Born: 1900, Trade: 'cook' });
  expect(await quotes('doc')).toMatchObject({ lea: 'Leah is a cook' });
  await looked(() => split(id));
  expect(await values()).toEqual([{ Born: 1900 }, { Trade: 'cook', Born: 1901 }]);
  expect(await quotes('doc')).toEqual({ leah: 'Leah is a cook', Lark: 'The Lark' });
  expect(await at.state()).not.toContain('"edge":"Sails"');
  await deleted('doc');
  expect(await values()).toEqual([{ Born: 1900 }, {}]);
});

test('what is approved while nodes are merged goes with its document, before the split', async () => {
  await people({}, { Trade: 'cook' });
  await approve('doc', [lea({ Trade: 'mate' }, 'Lea is a mate')]);
  const id = await merge();
  await approve('doc', [leah({ Trade: 'smith' }, 'Leah is a smith')]);
  expect(await fieldsOf(LEA.key)).toEqual({ Trade: 'smith' });
  await deleted('doc');
  // As the one node would be that was merged without it.
  expect(await fieldsOf(LEA.key)).toEqual({ Trade: 'cook' });
  await looked(() => split(id));
  expect(await values()).toEqual([{}, { Trade: 'cook' }]);
});

test('and after the split, and leaves what another document said before', async () => {
  await people({}, { Trade: 'cook' });
  await approve('doc', [lea({ Trade: 'mate' }, 'Lea is a mate')]);
  const id = await merge();
  await approve('other', [lea({ Trade: 'smith' }, 'Lea is a smith')]);
  await deleted('doc');
  expect(await fieldsOf(LEA.key)).toEqual({ Trade: 'smith' });
  await looked(() => split(id));
  expect(await values()).toEqual([{ Trade: 'smith' }, { Trade: 'cook' }]);
  await deleted('other');
  expect(await values()).toEqual([{}, { Trade: 'cook' }]);
});

test.each(['before', 'after'])(
  'what people write to the merged node is of the record that stays, %s the document goes',
  async (when) => {
    await people({}, {});
    await approve('doc', [
      lea({ Born: 1900 }, 'Lea was born in 1900'),
      leah({ Trade: 'cook' }, 'Leah is a cook'),
    ]);
    const id = await merge();
    await at.admin.nodes.update(LEA, { fields: { Trade: 'pilot', Born: 1950 } });
    if (when === 'before') await looked(() => split(id));
    await deleted('doc');
    expect(await fieldsOf(LEA.key)).toEqual({ Born: 1950, Trade: 'pilot' });
    if (when === 'after') await looked(() => split(id));
    expect(await values()).toEqual([{ Born: 1950, Trade: 'pilot' }, {}]);
  },
);

test('what people write as a document has it stays with each record that has it', async () => {
  await people({}, {});
  await approve('doc', [
    lea({ Born: 1900 }, 'Lea was born in 1900'),
    leah({ Trade: 'cook' }, 'Leah is a cook'),
  ]);
  const id = await merge();
  await at.admin.nodes.update(LEAH, { fields: { Trade: 'cook', Born: 1900 } });
  await deleted('doc');
  expect(await fieldsOf(LEA.key)).toEqual({ Born: 1900, Trade: 'cook' });
  await looked(() => split(id));
  expect(await values()).toEqual([{ Born: 1900 }, { Trade: 'cook' }]);
});

test('a source that names one of two merged nodes keeps that one alone', async () => {
  await approve('doc', [
    lea({ Trade: 'mate' }, 'Lea is a mate'),
    leah({ Trade: 'cook' }, 'Leah is a cook'),
  ]);
  const id = await merge();
  await at.admin.graph.ingest([{ op: 'addOrUpdate', ...LEAH, fields: {} }]);
  await deleted('doc');
  expect(await at.isThere('Person', LEA.key)).toBe(true);
  await looked(() => split(id));
  expect(await at.isThere('Person', LEA.key)).toBe(false);
  expect(await fieldsOf(LEAH.key)).toEqual({});
});

test('each record has its own edge of evidence again when it is split off', async () => {
  await people({}, {});
  await approve('doc', [
    leah({ Trade: 'cook' }, 'Leah is a cook', 0.7),
    lea({ Trade: 'mate' }, 'Lea is a mate', 0.6),
  ]);
  await approve('other', [leah({ Trade: 'cook' }, 'Leah cooks', 0.7)]);
  const before = await quotes('doc');
  expect(before).toEqual({ lea: 'Lea is a mate', leah: 'Leah is a cook' });
  const id = await merge();
  // Surer than what the edges have: of these, one is of the record that stays, one of the other.
  await approve('doc', [lea({ Born: 1900 }, 'Lea was born in 1900', 0.9)]);
  await approve('other', [lea({ Born: 1900 }, 'She was born in 1900', 0.9)]);
  expect(await quotes('doc')).toEqual({ lea: 'Lea was born in 1900' });
  await looked(() => split(id));
  expect(await quotes('doc')).toEqual({ lea: 'Lea was born in 1900', leah: 'Leah is a cook' });
  expect(await quotes('other')).toEqual({ lea: 'She was born in 1900', leah: 'Leah cooks' });
  await changed('doc', 'Lea is a mate. Leah is a cook');
  expect(await quotes('doc')).toEqual(before);
});

test('a document that is merged with another one says what it said', async () => {
  await people({}, {});
  await approve('doc', [lea({ Trade: 'mate' }, 'Lea is a mate')]);
  await approve('other', [leah({ Trade: 'cook' }, 'Leah is a cook')]);
  const before = await at.state();
  const { id } = await at.admin.duplicates.merge({ into: report('doc'), node: report('other') });
  await looked(async () => undefined);
  expect(await values()).toEqual([{ Trade: 'mate' }, { Trade: 'cook' }]);
  await looked(() => split(id));
  expect(await at.state()).toBe(before);
  await deleted('other');
  expect(await values()).toEqual([{ Trade: 'mate' }, {}]);
});

/** What happens, in this order, to three people who may be one. */
const given = fc.record({
  people: fc.array(
    fc.record(
      { Born: fc.constantFrom(1900, 1901), Trade: fc.constantFrom('cook', 'mate') },
      { requiredKeys: [] },
    ),
    { minLength: 3, maxLength: 3 },
  ),
  said: fc.uniqueArray(
    fc.record({
      who: fc.nat(2),
      quote: fc.nat(2),
      fields: fc.record(
        { Born: fc.constantFrom(1900, 1902), Trade: fc.constantFrom('cook', 'tailor') },
        { requiredKeys: [] },
      ),
    }),
    { minLength: 1, maxLength: 4, selector: ({ who, quote }) => `${who} ${quote}` },
  ),
  sails: fc.option(fc.record({ who: fc.nat(2), quote: fc.nat(2) })),
  merges: fc.array(fc.tuple(fc.nat(2), fc.nat(2)), { minLength: 1, maxLength: 3 }),
  /** Written to the merged node: values that it cannot have. */
  written: fc.array(
    fc.record({
      who: fc.nat(2),
      by: fc.constantFrom('doc', 'other', 'people'),
      quote: fc.nat(2),
      field: fc.constantFrom('Born', 'Trade'),
    }),
    { maxLength: 3 },
  ),
  /** The quotes that are left when the document is changed; none: it is deleted. */
  kept: fc.subarray([0, 1, 2]),
  isOtherKept: fc.boolean(),
  /** How many merges are split before the documents are changed. */
  splitsBefore: fc.nat(2),
});
type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

const PEOPLE = [LEA, LEAH, LIA];
const QUOTES = ['First it says so', 'Second it says so', 'Third it says so'];
const said = (who: number, fields: object, quote: number) =>
  person(PEOPLE[who]!.key, fields, QUOTES[quote]!, 0.9 - quote / 10);

/** Writes and approves what is given; `root` is who stands for somebody while nodes are merged. */
async function write({ written }: Given, root: (who: number) => number): Promise<void> {
  for (const [i, { who, by, quote, field }] of written.entries()) {
    const fields = { [field]: field === 'Born' ? 1950 + i : `smith ${i}` };
    const stands = root(who);
    if (by === 'people') await at.admin.nodes.update(PEOPLE[stands]!, { fields });
    else await approve(by, [said(stands, fields, quote)]);
  }
}

async function begin(round: Given): Promise<void> {
  await at.admin.graph.ingest([
    ...PEOPLE.map((one, i) => ({ op: 'addOrUpdate', ...one, fields: round.people[i]! }) as const),
    { op: 'addOrUpdate', ...LARK, fields: {} },
  ]);
  for (const key of ['doc', 'other']) await at.report(key, QUOTES.join('. '));
  const edges = round.sails === null ? [] : [round.sails];
  await approve(
    'doc',
    round.said.map(({ who, fields, quote }) => said(who, fields, quote)),
    edges.map(({ who, quote }) => sails(PEOPLE[who]!.key, LARK.key, QUOTES[quote]!)),
  );
}

async function changeDocuments({ kept, isOtherKept }: Given): Promise<void> {
  await looked(async () => {
    if (kept.length === 0) await at.admin.nodes.delete(report('doc'));
    else {
      const Body = kept.map((quote) => QUOTES[quote]).join('. ');
      await at.admin.nodes.update(report('doc'), { fields: { Body } });
    }
    if (!isOtherKept) await at.admin.nodes.delete(report('other'));
  });
}

/** What there is at the end, where people are merged on the way, and then split. */
async function endOfMerged(round: Given): Promise<{
  readonly end: Awaited<ReturnType<typeof graph>>;
  /** Who had stood for each. */
  readonly root: (who: number) => number;
}> {
  await begin(round);
  const into = PEOPLE.map((_, i) => i);
  const root = (who: number): number => (into[who] === who ? who : root(into[who]!));
  const merges: string[] = [];
  for (const [a, b] of round.merges) {
    if (root(a) === root(b)) continue;
    const pair = { into: PEOPLE[a]!, node: PEOPLE[b]! };
    merges.unshift((await at.admin.duplicates.merge(pair)).id);
    into[root(b)] = root(a);
  }
  await write(round, (who) => who);
  for (const [i, id] of merges.entries()) {
    if (i === round.splitsBefore) await changeDocuments(round);
    await split(id);
  }
  if (merges.length <= round.splitsBefore) await changeDocuments(round);
  await looked(async () => undefined);
  return { end: await graph(), root };
}

test('whatever is said, written and changed, it is as if nodes had never been merged', async () => {
  await fc.assert(
    fc
      .asyncProperty(given, async (round) => {
        const { end, root } = await endOfMerged(round);
        await clear();
        await begin(round);
        await write(round, root);
        await changeDocuments(round);
        expect(end).toEqual(await graph());
      })
      .afterEach(() => clear()),
    { numRuns: scale({ sample: 6, soak: 100 }), seed: seed() },
  );
});
