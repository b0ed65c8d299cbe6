import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DocumentScene, finds, person, sails, ship } from '../support/document-scene.ts';

let at: DocumentScene;
beforeAll(async () => {
  at = await DocumentScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());
afterEach(() => at.provider.reset());

const CREW = 'Ida Fay, a cook, sails the Lark of 80 tons.';
const IDA = { type: 'Person', key: 'Ida Fay' } as const;
const LARK = { type: 'Ship', key: 'Lark' } as const;

/** A report of which all is approved: it makes a person, a ship, and the edge between them. */
async function approvedReport(key: string): Promise<void> {
  await at.report(key, CREW);
  at.script({
    'Ida Fay': finds(
      [
        person(IDA.key, { Trade: 'cook' }, 'Ida Fay, a cook'),
        ship(LARK.key, { Tons: 80 }, 'Lark of 80 tons'),
      ],
      [sails(IDA.key, LARK.key, 'sails the Lark')],
    ),
  });
  const run = await at.extract({ nodes: [{ type: 'Report', key }] });
  expect(await at.approveAll(run)).toBe(3);
}

/** Deletes the report, and resolves once what it said is taken back. */
async function retract(key: string): Promise<void> {
  const isRetracted = async (): Promise<boolean> =>
    (await at.admin.audit.list({ action: 'document.retracted' })).items.length > before;
  const before = (await at.admin.audit.list({ action: 'document.retracted' })).items.length;
  await at.admin.nodes.delete({ type: 'Report', key });
  await expect.poll(isRetracted).toBe(true);
}

async function sailed(): Promise<number> {
  const { edges } = await at.admin.nodes.getRecord(IDA);
  return edges.find(({ edge }) => edge === 'Sails')?.count ?? 0;
}

test('what others write as the document has it is theirs too, and stays without it', async () => {
  await approvedReport('1');
  await at.admin.graph.ingest([
    { op: 'addOrUpdate', ...IDA, fields: { Trade: 'cook' } },
    { op: 'link', from: LARK, edge: 'SailedBy', to: IDA },
  ]);
  await at.admin.nodes.update(LARK, { fields: { Tons: 80 } });
  await retract('1');
  expect(await at.shown('Person', IDA.key)).toEqual({ Name: IDA.key, Trade: 'cook' });
  expect(await at.shown('Ship', LARK.key)).toEqual({ Name: LARK.key, Tons: 80 });
  expect(await sailed()).toBe(1);
  expect(await at.state()).not.toContain('"edge":"StatedIn"');
  await at.admin.graph.ingest([IDA, LARK].map((one) => ({ op: 'delete', ...one }) as const));
});

test('a source that names a node keeps it, without the values that only the document had', async () => {
  await approvedReport('2');
  await at.admin.graph.ingest([
    { op: 'addOrUpdate', ...IDA, fields: {} },
    { op: 'tryAdd', ...LARK, fields: { Tons: 9 } },
  ]);
  await retract('2');
  expect(await at.shown('Person', IDA.key)).toEqual({ Name: IDA.key });
  expect(await at.shown('Ship', LARK.key)).toEqual({ Name: LARK.key });
  expect(await sailed()).toBe(0);
  await at.admin.graph.ingest([IDA, LARK].map((one) => ({ op: 'delete', ...one }) as const));
});

test('what a person wrote between two documents stays with the node that they have made', async () => {
  await approvedReport('3');
  await at.admin.nodes.update(IDA, { fields: { Trade: 'mate' } });
  await approvedReport('4');
  expect(await at.shown('Person', IDA.key)).toMatchObject({ Trade: 'cook' });
  await retract('4');
  await retract('3');
  expect(await at.shown('Person', IDA.key)).toEqual({ Name: IDA.key, Trade: 'mate' });
  expect(await at.isThere('Ship', LARK.key)).toBe(false);
  await at.admin.nodes.delete(IDA);
});

test('a node that was deleted and made again has nothing of documents', async () => {
  await at.admin.graph.ingest([{ op: 'addOrUpdate', ...LARK, fields: { Tons: 1 } }]);
  await approvedReport('5');
  await at.admin.nodes.delete(LARK);
  await at.admin.graph.ingest([{ op: 'addOrUpdate', ...LARK, fields: { Tons: 80 } }]);
  await retract('5');
  expect(await at.shown('Ship', LARK.key)).toEqual({ Name: LARK.key, Tons: 80 });
  expect(await at.isThere('Person', IDA.key)).toBe(false);
});
