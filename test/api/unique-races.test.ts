import { afterAll, beforeAll, expect, test } from 'vitest';
import { valueAt } from '../support/http-client.ts';
import { BookKeeper, expectVerified } from '../support/indexed-books.ts';
import { scale, seed } from '../support/scale.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const WRITERS = 64;
const ROUNDS = scale({ sample: 3, soak: 60 });
const ISBN = { field: 'Isbn', unique: true };

let workspace: TestWorkspace;
let keeper: BookKeeper;

beforeAll(async () => {
  workspace = await startWorkspace();
  keeper = new BookKeeper(workspace.http, workspace.token);
  await keeper.addBooks(1);
  await keeper.putIndexes([ISBN]);
});
afterAll(() => workspace[Symbol.asyncDispose]());

interface Attempt {
  readonly isTaken: boolean;
  /** Of the node that has the value. */
  readonly holder: unknown;
}

/** Adds a node with a value, or learns which node has it. */
async function claim(key: string, Isbn: string): Promise<Attempt> {
  const operations = [{ op: 'addOrUpdate', type: 'Book', key, fields: { Isbn } }];
  const { http, token } = workspace;
  const { status, json, text } = await http.send({
    path: '/api/ingest',
    token,
    body: { operations },
  });
  if (status === 200) return { isTaken: true, holder: undefined };
  expect([status, valueAt(json, 'error', 'code')], text).toEqual([422, 'not_unique']);
  expect(valueAt(json, 'error', 'details')).toMatchObject({ index: 0, type: 'Book', value: Isbn });
  return { isTaken: false, holder: valueAt(json, 'error', 'details', 'uid') };
}

async function uidOf(key: string): Promise<unknown> {
  const query = await keeper.send('POST', '/api/node/query', { type: 'Book', take: 1_000 });
  const items = valueAt(query, 'items') as readonly { Id: string; UID: string }[];
  return items.find(({ Id }) => Id === key)?.UID;
}

const writers = Array.from({ length: WRITERS }, (_, i) => i);

test('of 64 writers of one value exactly one has it, and the others learn who', async () => {
  await keeper.untilReady(1);
  for (let round = 0; round < ROUNDS; round++) {
    const attempts = await Promise.all(
      writers.map((i) => claim(`r${round}-${i}`, `raced ${round}`)),
    );
    const winners = writers.filter((i) => attempts[i]!.isTaken);
    expect(winners).toHaveLength(1);
    const uid = await uidOf(`r${round}-${winners[0]}`);
    for (const { isTaken, holder } of attempts) if (!isTaken) expect(holder).toBe(uid);
  }
});

test('64 writers that try again end with a value each, and none is lost', async () => {
  const random = seededRandom(seed());
  const has = await Promise.all(
    writers.map(async (i) => {
      const values = writers
        .map((value) => ({ value, order: random() }))
        .toSorted((a, b) => a.order - b.order);
      for (const { value } of values) {
        if ((await claim(`writer-${i}`, `place ${value}`)).isTaken) return value;
      }
      return undefined;
    }),
  );
  expect(has.toSorted((a, b) => Number(a) - Number(b))).toEqual(writers);
});

test('writers race while the index is built, for values that nobody has', async () => {
  await keeper.removeIndexes();
  await keeper.addBooks(6_000);
  await keeper.putIndexes([ISBN]);
  const claims = await Promise.all(writers.map((i) => claim(`x${i}`, `while ${i % 8}`)));
  expect(claims.filter(({ isTaken }) => isTaken)).toHaveLength(8);
  await keeper.untilReady(1);
});

test('writers race with the build itself, for values of nodes that it may not have met', async () => {
  await keeper.removeIndexes();
  await keeper.putIndexes([ISBN]);
  const claims = await Promise.all(writers.map((i) => claim(`y${i}`, `isbn ${i + 1_000}`)));
  // Where a writer was first, the build ends with the nodes that share a value.
  if (claims.some(({ isTaken }) => isTaken)) {
    await expect.poll(() => keeper.indexes()).toEqual([]);
  } else await keeper.untilReady(1);
  expect(await workspace.server.stop()).toBe(0);
  await expectVerified(workspace.storage, { skipped: expect.any(Array) });
});
