import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BatchEncoder, readPlaces } from './batch.ts';
import { DB, type DatabaseNumber } from './databases.ts';
import { SortedOperations } from './sorted-operations.ts';
import { anyCommit, hex, Model, type Operation, putAll } from './testing/operations.ts';

function payloadOf(operations: readonly Operation[]): Uint8Array {
  const batch = new BatchEncoder();
  putAll(batch, operations);
  return batch.payload;
}

/** The operations in the order in which a transaction gets them. */
function carriedOut(commits: readonly (readonly Operation[])[]): Operation[] {
  const operations: Operation[] = [];
  const take = (
    payload: Uint8Array,
    db: DatabaseNumber,
    keyStart: number,
    keyEnd: number,
    valueStart: number,
    valueEnd: number,
  ): void => {
    const value = valueStart < 0 ? undefined : payload.slice(valueStart, valueEnd);
    operations.push({ db, key: payload.slice(keyStart, keyEnd), value });
  };
  const sorted = new SortedOperations(take);
  for (const commit of commits) {
    const payload = payloadOf(commit);
    readPlaces(payload, (db, ...places) => {
      if (!sorted.add(payload, db, ...places)) take(payload, db, ...places);
    });
  }
  sorted.flush();
  return operations;
}

function putsOf(db: DatabaseNumber, keys: readonly Buffer[]): Operation[] {
  return keys.map((key) => ({ db, key, value: new Uint8Array(0) }));
}

it('leaves the state that the operations leave in their own order', () => {
  fc.assert(
    fc.property(fc.array(anyCommit, { maxLength: 8 }), (commits) => {
      const [expected, actual] = [new Model(), new Model()];
      for (const commit of commits) expected.apply(commit);
      actual.apply(carriedOut(commits));
      expect(actual.content()).toEqual(expected.content());
    }),
  );
});

it('keeps the order of operations on one key, also beyond what it holds at once', () => {
  const key = Buffer.alloc(16, 7);
  const commit = Array.from({ length: 70_000 }, (_, i): readonly Operation[] => [
    { db: DB.uids, key, value: Uint8Array.of(i, i >> 8, i >> 16) },
    { db: DB.uids, key, value: undefined },
  ]).flat();
  const told = (operations: readonly Operation[]): string =>
    operations.map(({ value }) => (value === undefined ? 'deleted' : hex(value))).join(' ');
  expect(told(carriedOut([commit])) === told(commit)).toBe(true);
});

it('visits keys of each database in their order', () => {
  const keys = (bytes: number, start: readonly number[] = []): Buffer[] =>
    Array.from({ length: 500 }, (_, i) => {
      const digest = hash('sha256', `key ${i}`, 'buffer');
      return Buffer.concat([Buffer.from(start), digest.subarray(0, bytes)]);
    });
  const commit = [
    ...putsOf(DB.uids, keys(16)),
    ...putsOf(DB.uniques, keys(16, [0, 3])),
    ...putsOf(DB.in, keys(11, [0])),
    ...putsOf(DB.out, keys(11, [0])),
    // Times of about thirty years.
    ...putsOf(DB.types, keys(10, [0, 1, 0x81])),
    ...putsOf(DB.indexes, [...keys(19, [0, 1]), ...keys(19, [0, 2])]),
  ];
  for (const db of [DB.uids, DB.uniques, DB.in, DB.out, DB.types, DB.indexes]) {
    const carried = carriedOut([commit]).filter((operation) => operation.db === db);
    const names = carried.map(({ key }) => hex(key));
    expect(names.length).toBeGreaterThanOrEqual(500);
    expect(names).toEqual(names.toSorted());
  }
});

it('carries out at once what is in order by itself', () => {
  const first = { db: DB.nodes, key: Buffer.from([2, 2]), value: Uint8Array.of(1) };
  const second = { db: DB.nodes, key: Buffer.from([1, 1]), value: Uint8Array.of(1) };
  const uid = { db: DB.uids, key: Buffer.alloc(16), value: Uint8Array.of(1) };
  expect(carriedOut([[uid, first], [second]]).map(({ db }) => db)).toEqual([
    DB.nodes,
    DB.nodes,
    DB.uids,
  ]);
});
