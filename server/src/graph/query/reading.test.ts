import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseNumber } from '#store/databases.ts';
import type { KeyRange, KeyValueReader, ScanVisitor } from '#store/key-value.ts';
import { StateReader } from '../state-reader.ts';
import { MANY, openGraphOfThings } from '../testing/graph-of-things.ts';
import type { TestGraph } from '../testing/test-graph.ts';
import type { QueryEnd, QueryStep } from './plan.ts';
import { runQuery } from './run.ts';

let graph: TestGraph;

beforeAll(async () => {
  graph = await openGraphOfThings();
});

afterAll(() => graph[Symbol.asyncDispose]());

/** Counts what is asked of the state. */
class CountingReader implements KeyValueReader {
  readonly #state: KeyValueReader;
  reads = 0;

  constructor(state: KeyValueReader) {
    this.#state = state;
  }

  get(db: DatabaseNumber, key: Uint8Array): Uint8Array | undefined {
    this.reads++;
    return this.#state.get(db, key);
  }

  has(db: DatabaseNumber, key: Uint8Array): boolean {
    this.reads++;
    return this.#state.has(db, key);
  }

  countRange(db: DatabaseNumber, range: KeyRange): number {
    this.reads++;
    return this.#state.countRange(db, range);
  }

  scan(db: DatabaseNumber, range: KeyRange, visit: ScanVisitor): void {
    this.#state.scan(db, range, (key, value) => {
      this.reads++;
      return visit(key, value);
    });
  }
}

describe('reading', () => {
  const readsOf = (steps: QueryStep[], end: QueryEnd): number => {
    const counting = new CountingReader(graph.snapshot);
    const reader = new StateReader(counting, graph.snapshot);
    counting.reads = 0;
    runQuery(reader, { steps, end });
    return counting.reads;
  };
  const count: QueryEnd = { end: 'count' };
  const all: QueryStep = { op: 'startAt', type: 'Mark' };

  it('stops when enough is found', () => {
    expect(readsOf([all, { op: 'take', count: 10 }], { end: 'nodes' })).toBeLessThan(50);
    expect(readsOf([all, { op: 'out' }, { op: 'take', count: 0 }], { end: 'uids' })).toBeLessThan(
      10,
    );
    const where: QueryStep = { op: 'where', field: 'Size', compare: '>=', value: MANY - 5 };
    expect(readsOf([all, where, { op: 'take', count: 5 }], { end: 'uids' })).toBeLessThan(100);
    const skipped: QueryStep[] = [all, { op: 'skip', count: 100 }, { op: 'take', count: 10 }];
    expect(readsOf(skipped, { end: 'uids' })).toBeLessThan(500);
  });

  it('of a count or a key does not walk through the type', () => {
    expect(readsOf([all], count)).toBeLessThan(5);
    const byKey: QueryStep = {
      op: 'startWhere',
      type: 'Mark',
      field: 'Id',
      compare: '=',
      value: 'm7',
    };
    expect(readsOf([byKey], { end: 'nodes' })).toBeLessThan(10);
  });

  it('of ids alone does not decode nodes', () => {
    // One read for each page of keys, and none for nodes.
    expect(readsOf([all, { op: 'skip', count: 1 }], count)).toBeLessThan(MANY + 50);
  });
});
