import { afterEach, describe, expect, it } from 'vitest';
import { DERIVED_DIFFERENCES_NAMED_MAX, INDEX_BUILD_NODES } from '#base/limits.ts';
import { DB, type DatabaseNumber } from '#store/databases.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import type { WriterOperation } from '../operations.ts';
import { countKey, edgeCountKey, indexCountKey } from '../keys.ts';
import { finishIndexes } from '../testing/index-content.ts';
import { openTestGraph, type TestGraph } from '../testing/test-graph.ts';
import { encodeCount } from '../writer-memory.ts';
import { compareDerived, type DerivedComparison, type DerivedReport } from './compare-derived.ts';

let graph: TestGraph;

afterEach(() => graph[Symbol.asyncDispose]());

const INDEXES = [
  { field: 'S' },
  { field: 'U', unique: true },
  { field: 'L' },
  { field: 'V', unique: true },
  { field: 'D' },
  { field: 'T' },
  { field: 'P' },
  { fields: ['S', 'D'] },
  { fields: ['S', 'Timestamp'] },
  { fields: ['U', 'S'], unique: true },
];
/** Those that have entries of their own; the last two have no entry in `uniques`. */
const NAMES = INDEXES.map(({ field, fields }) => `A (${(fields ?? [field]).join(', ')})`);
const UNIQUE = NAMES.filter((_, i) => INDEXES[i]?.unique);

function nodeOf(i: number): WriterOperation {
  const fields = {
    S: `${'secret '.repeat(i % 60)}${i % 7}`,
    U: `u${i}`,
    L: [`l${i % 5}`, 'all', `${i}`],
    V: [`v${i}`, `w${i}`],
    D: i % 3 === 0 ? `${i}.25` : 2 ** 53 + i,
    T: i * 1_000,
    P: { lat: i % 90, lon: i % 180 },
  };
  return { op: 'addOrUpdate', type: 'A', key: `k${i}`, fields, timestamp: i * 60_000 };
}

async function fill(options: { readonly hashesIndexes?: boolean } = {}): Promise<void> {
  graph = await openTestGraph(options);
  const fields = {
    S: 'String',
    U: 'String',
    L: 'String[]',
    V: 'String[]',
    D: 'Decimal',
    T: 'Time',
    P: 'GeoPoint',
  } as const;
  await graph.addSchema({
    nodes: [
      { type: 'A', key: 'K', fields, indexes: [...INDEXES, { field: 'Timestamp' }] },
      { type: 'B', fields: { S: 'String' }, indexes: [{ field: 'S' }] },
    ],
    edges: [
      { type: 'To', inverse: 'From' },
      { type: 'From', inverse: 'To' },
    ],
  });
  await graph.write(
    ...Array.from({ length: 200 }, (_, i) => nodeOf(i)),
    ...Array.from({ length: 50 }, (_, i): WriterOperation => ({
      op: 'link',
      from: { type: 'A', key: `k${i}` },
      edge: 'To',
      to: { type: 'A', key: `k${i * 2}` },
    })),
    { op: 'addOrUpdate', type: 'B', fields: { S: 'x' } },
  );
  await graph.write(nodeOf(3), { op: 'delete', type: 'A', key: 'k4' });
}

async function compare(
  options: Partial<Pick<DerivedComparison, 'rest' | 'comparedMax'>> = {},
): Promise<DerivedReport> {
  using reader = openSnapshotReader({ storage: graph.storage, environments: ['graph'] });
  using state = reader.hold();
  const steps: number[] = [];
  const report = await compareDerived({
    state,
    rest: async () => {},
    onProgress: (done, total) => steps.push(done / total),
    ...options,
  });
  expect(steps.at(-1)).toBe(1);
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  expect(JSON.stringify(report)).not.toMatch(/secret|\.25/);
  return report;
}

interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Those of one index, or of one type of `types`. */
function entries(db: DatabaseNumber, number?: number): Entry[] {
  const found: Entry[] = [];
  graph.snapshot.refresh();
  const all = { start: new Uint8Array(0), end: new Uint8Array(20).fill(0xff) };
  graph.snapshot.scan(db, all, (key, value) => {
    if (number !== undefined && ((key[0]! << 8) | key[1]!) !== number) return;
    found.push({ key: Uint8Array.from(key), value: Uint8Array.from(value) });
  });
  return found;
}

async function remove(db: DatabaseNumber, { key }: Entry): Promise<void> {
  await graph.state.commit((batch) => batch.delete(db, key));
}

async function put(db: DatabaseNumber, { key, value }: Entry): Promise<void> {
  await graph.state.commit((batch) => batch.put(db, key, value));
}

/** With the last byte but five another: of the same node, and of another value or time. */
function changed({ key, value }: Entry): Entry {
  const other = Uint8Array.from(key);
  other[key.length - 6]! ^= 1;
  return { key: other, value };
}

const UID = '[1-9A-HJ-NP-Za-km-z]{22}';
const numberOf = (name: string): number =>
  graph.reader.indexes().find(({ type, fields }) => `${type} (${fields.join(', ')})` === name)
    ?.number ?? 0;

describe('what follows from the nodes', () => {
  it('is as the nodes say, when nothing is damaged', async () => {
    await fill();
    const report = await compare();
    expect(report).toMatchObject({ differenceCount: 0, mayBeMore: false, differences: [] });
    expect(report.skipped).toEqual([]);
    expect(report.entries).toBeGreaterThan(2_000);
  });

  for (const hashesIndexes of [false, true]) {
    const kind = hashesIndexes ? 'hashed' : 'plain';

    it.each(NAMES)(`is named where a ${kind} index lacks an entry: %s`, async (name) => {
      await fill({ hashesIndexes });
      const [first] = entries(DB.indexes, numberOf(name));
      await remove(DB.indexes, first!);
      const { differenceCount, differences } = await compare();
      expect(differenceCount).toBe(1);
      const begin = `indexes lacks an entry of the index ${name}`.replaceAll(
        /[()]/g,
        String.raw`\$&`,
      );
      expect(differences).toEqual([expect.stringMatching(new RegExp(`^${begin}: ${UID}$`))]);
    });

    it.each(NAMES)(`is named where a ${kind} index has another entry: %s`, async (name) => {
      await fill({ hashesIndexes });
      const [, second] = entries(DB.indexes, numberOf(name));
      await put(DB.indexes, changed(second!));
      const { differenceCount, differences } = await compare();
      expect([differenceCount, differences]).toEqual([
        1,
        [expect.stringContaining(`indexes has a wrong entry of the index ${name}: `)],
      ]);
    });

    it.each(UNIQUE)(`is named where a ${kind} unique value is lost or taken: %s`, async (name) => {
      await fill({ hashesIndexes });
      const [first, second] = entries(DB.uniques, numberOf(name));
      await remove(DB.uniques, first!);
      await put(DB.uniques, { key: second!.key, value: first!.value });
      const { differenceCount, differences } = await compare();
      expect(differenceCount).toBe(3);
      const of = `of the index ${name}: `;
      expect(
        differences.filter((one) => one.includes(`uniques lacks an entry ${of}`)),
      ).toHaveLength(2);
      expect(
        differences.filter((one) => one.includes(`uniques has a wrong entry ${of}`)),
      ).toHaveLength(1);
    });
  }

  it('is named where the nodes by time or by UID differ', async () => {
    await fill();
    const [first, second] = entries(DB.types, 1);
    await remove(DB.types, first!);
    await put(DB.types, changed(second!));
    const [uid, other] = entries(DB.uids);
    await put(DB.uids, { key: uid!.key, value: other!.value });
    const { differenceCount, differences } = await compare();
    expect(differenceCount).toBe(4);
    expect(differences.map((one) => one.replace(/: .*/, ''))).toEqual([
      'uids lacks an entry',
      'uids has a wrong entry',
      'types lacks an entry of A',
      'types has a wrong entry of A',
    ]);
  });

  it('is named where edges have one end alone', async () => {
    await fill();
    const edges = entries(DB.in);
    await remove(DB.in, edges[0]!);
    await remove(DB.out, entries(DB.out).at(-1)!);
    const { differenceCount, differences } = await compare();
    expect(differences).toEqual([
      'meta counts 48 edges of From, and there are 47',
      expect.stringMatching(new RegExp(`^in lacks an entry of (To|From): from ${UID} to ${UID}$`)),
      expect.stringMatching(new RegExp(`^in has a wrong entry of From: from ${UID} to ${UID}$`)),
    ]);
    expect(differenceCount).toBe(3);
  });

  it('is named where a count is wrong', async () => {
    await fill();
    const five = encodeCount(5);
    await put(DB.meta, { key: countKey(1), value: five });
    await put(DB.meta, { key: edgeCountKey(1), value: encodeCount(50) });
    await put(DB.meta, { key: indexCountKey(numberOf('A (S)')), value: five });
    expect(await compare()).toMatchObject({
      differenceCount: 3,
      differences: [
        'meta counts 5 nodes of A, and there are 199',
        'meta counts 5 entries of the index A (S), and there are 199',
        'meta counts 50 edges of To, and there are 48',
      ],
    });
  });

  it('may have fewer edges counted than there are: an earlier version did not count them', async () => {
    await fill();
    await put(DB.meta, { key: edgeCountKey(1), value: encodeCount(5) });
    expect(await compare()).toMatchObject({
      differenceCount: 0,
      skipped: ['the count of edges of To: 5 of 48'],
    });
  });

  it('does not have entries of a node or an index that is not there', async () => {
    await fill();
    const [entry] = entries(DB.indexes, numberOf('A (S)'));
    const ofNoNode = Uint8Array.from(entry!.key);
    ofNoNode[ofNoNode.length - 3] = 200;
    await put(DB.indexes, { key: ofNoNode, value: entry!.value });
    const ofNoIndex = Uint8Array.from(entry!.key);
    ofNoIndex[0] = 77;
    await put(DB.indexes, { key: ofNoIndex, value: entry!.value });
    const { differences } = await compare();
    expect(differences[0]).toBe(
      'indexes has a wrong entry of the index A (S): a node that is not there',
    );
    expect(differences[1]).toMatch(/of the index \d+, which no type has: /);
    expect(differences).toHaveLength(2);
  });

  it('is counted beyond the differences that are named', async () => {
    await fill();
    const number = numberOf('A (L)');
    const all = entries(DB.indexes, number);
    await graph.state.commit((batch) => {
      for (const { key } of all) batch.delete(DB.indexes, key);
    });
    const report = await compare();
    expect(report).toMatchObject({ differenceCount: all.length, mayBeMore: false });
    expect(report.differences).toHaveLength(DERIVED_DIFFERENCES_NAMED_MAX);
    const bounded = await compare({ comparedMax: 30 });
    expect(bounded.mayBeMore).toBe(true);
    expect(bounded.differences).toHaveLength(DERIVED_DIFFERENCES_NAMED_MAX);
    expect(bounded.differenceCount).toBeGreaterThan(all.length * 0.9);
    expect(bounded.differenceCount).toBeLessThanOrEqual(all.length);
  });

  it('leaves out indexes that are being built or removed, and says so', async () => {
    await fill();
    const more = Array.from({ length: INDEX_BUILD_NODES }, (_, i) => nodeOf(i + 1_000));
    await graph.write(...more);
    await graph.addSchema({
      nodes: [{ type: 'A', fields: {}, indexes: [{ fields: ['S', 'T'] }] }],
    });
    const build = { build: numberOf('A (S, T)') };
    await graph.writer.commit({ operations: [], system: true, indexWork: build });
    const removal = { remove: numberOf('A (D)') };
    await graph.writer.commit({ operations: [], system: true, indexWork: removal });
    expect(await compare()).toMatchObject({
      differenceCount: 0,
      skipped: ['the index A (S, T), which is being built', '1 indexes that are being removed'],
    });
    await finishIndexes(graph);
    expect(await compare()).toMatchObject({ differenceCount: 0, skipped: [] });
  });

  it('is compared at one commit, whatever is written meanwhile, and ends when it is told to', async () => {
    await fill();
    let writes = 0;
    const rest = async (): Promise<void> => {
      await graph.write(nodeOf(5_000 + writes), { op: 'delete', type: 'A', key: `k${writes++}` });
    };
    const report = await compare({ rest });
    expect(writes).toBeGreaterThan(5);
    expect(report.differenceCount).toBe(0);
    const stop = async (): Promise<void> => {
      throw new Error('told to');
    };
    await expect(compare({ rest: stop })).rejects.toThrow('told to');
  });
});
