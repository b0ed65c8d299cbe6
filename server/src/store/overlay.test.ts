import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BatchEncoder } from './batch.ts';
import { DATABASES, DB } from './databases.ts';
import type { DatabaseNumber } from './databases.ts';
import type { KeyRange, KeyValueReader, ScanVisitor } from './key-value.ts';
import { OverlaidBatch } from './overlaid-batch.ts';
import { Overlay, OverlayReader } from './overlay.ts';
import { Model, anyCommit, anyKey, contentOf, hex, putAll, scanned } from './testing/operations.ts';
import type { Operation } from './testing/operations.ts';

/** The state under the overlay. */
class MapReader implements KeyValueReader {
  readonly #entries = new Map<string, Operation>();

  apply(operations: readonly Operation[]): void {
    for (const operation of operations) {
      const name = `${operation.db} ${hex(operation.key)}`;
      if (operation.value === undefined) this.#entries.delete(name);
      else this.#entries.set(name, operation);
    }
  }

  get(db: DatabaseNumber, key: Uint8Array): Uint8Array | undefined {
    return this.#entries.get(`${db} ${hex(key)}`)?.value;
  }

  has(db: DatabaseNumber, key: Uint8Array): boolean {
    return this.get(db, key) !== undefined;
  }

  countRange(db: DatabaseNumber, range: KeyRange): number {
    let count = 0;
    this.scan(db, range, () => void count++);
    return count;
  }

  scan(db: DatabaseNumber, { start, end, reverse }: KeyRange, visit: ScanVisitor): void {
    const found = [...this.#entries.values()]
      .filter((entry) => entry.db === db)
      .filter(({ key }) => Buffer.compare(key, start) >= 0 && Buffer.compare(key, end) < 0)
      .toSorted((a, b) => Buffer.compare(a.key, b.key));
    if (reverse === true) found.reverse();
    for (const { key, value } of found) if (visit(key, value!) === false) return;
  }
}

type Step =
  | { readonly do: 'commit' | 'throw'; readonly operations: readonly Operation[] }
  /** The oldest `count` commits become visible in the state below. */
  | { readonly do: 'apply'; readonly count: number }
  /** The newest `count` commits are refused. */
  | { readonly do: 'refuse'; readonly count: number };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('commit' as const), operations: anyCommit }),
  },
  fc.record({ do: fc.constant('throw' as const), operations: anyCommit }),
  fc.record({ do: fc.constant('apply' as const), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('refuse' as const), count: fc.integer({ min: 1, max: 4 }) }),
);

/** Whether the state is read after the step: what was not read yet is found as well. */
const anySteps = fc.array(fc.tuple(anyStep, fc.boolean()), { maxLength: 25 });

/** The commits in flight over the state below, and the same operations in a model. */
class Flight {
  readonly base = new MapReader();
  readonly overlay = new Overlay();
  readonly view = new OverlayReader(this.base, this.overlay);
  #applied: Operation[] = [];
  #inFlight: { readonly batch: OverlaidBatch; readonly operations: readonly Operation[] }[] = [];

  step(step: Step): void {
    if (step.do === 'apply') {
      for (const { batch, operations } of this.#inFlight.splice(0, step.count)) {
        this.base.apply(operations);
        this.#applied.push(...operations);
        batch.drop();
      }
    } else if (step.do === 'refuse') {
      const refused = this.#inFlight.splice(-step.count);
      for (const { batch } of refused.toReversed()) batch.undo();
    } else {
      const batch = new OverlaidBatch(this.overlay, 1);
      putAll(batch, step.operations);
      batch.seal();
      if (step.do === 'throw') batch.undo();
      else this.#inFlight.push({ batch, operations: step.operations });
    }
  }

  expected(): string[] {
    const model = new Model();
    model.apply([...this.#applied, ...this.#inFlight.flatMap(({ operations }) => operations)]);
    return model.content();
  }
}

it('shows what is applied and what is in flight as one state', () => {
  fc.assert(
    fc.property(anySteps, fc.array(anyKey), (steps, keys) => {
      const flight = new Flight();
      for (const [step, isRead] of steps) {
        flight.step(step);
        if (!isRead) continue;
        const expected = flight.expected();
        expect(contentOf(flight.view)).toEqual(expected);
        for (const { number } of DATABASES) {
          for (const key of keys) {
            const value = flight.view.get(number, key);
            const entry = `${number} ${hex(key)} ${value === undefined ? '' : hex(value)}`;
            expect(expected.includes(entry)).toBe(value !== undefined);
            expect(flight.view.has(number, key)).toBe(value !== undefined);
          }
        }
      }
    }),
  );
});

it('scans part of a range in both directions and stops when told', () => {
  const range = fc.tuple(anyKey, anyKey).filter(([a, b]) => a[1] === b[1]);
  fc.assert(
    fc.property(fc.array(anyStep), range, fc.nat(4), (steps, [start, end], stopAfter) => {
      const flight = new Flight();
      for (const step of steps) flight.step(step);
      const expected = flight.expected().filter((entry) => {
        const [db, key] = entry.split(' ');
        return db === String(DB.out) && key! >= hex(start) && key! < hex(end);
      });
      expect(scanned(flight.view, DB.out, { start, end })).toEqual(expected);
      const reversed = expected.toReversed();
      expect(scanned(flight.view, DB.out, { start, end, reverse: true })).toEqual(reversed);
      const some: string[] = [];
      flight.view.scan(DB.out, { start, end, reverse: true }, (key, value) => {
        some.push(`${DB.out} ${hex(key)} ${hex(value)}`);
        return some.length <= stopAfter;
      });
      expect(some).toEqual(reversed.slice(0, stopAfter + 1));
    }),
  );
});

it('keeps nothing of commits that went through, however many', () => {
  const flight = new Flight();
  const operations = Array.from({ length: 3_000 }, (_, i) => ({
    db: DB.nodes,
    key: Uint8Array.of(0, 1, 0, 0, 1, i >> 8, i & 255),
    value: Uint8Array.of(1),
  }));
  for (let i = 0; i < 12; i++) {
    flight.step({ do: 'commit', operations });
    flight.step({ do: 'commit', operations: [] });
    if (i > 0) flight.step({ do: 'apply', count: 2 });
  }
  flight.step({ do: 'apply', count: 2 });
  for (const { key } of operations) expect(flight.overlay.get(DB.nodes, key)).toBeUndefined();
});

it('takes a payload as a layer', () => {
  const batch = new BatchEncoder();
  batch.put(DB.vault, Uint8Array.of(0, 1, 0, 0, 1, 5), Uint8Array.of(9));
  batch.delete(DB.vault, Uint8Array.of(0, 1, 0, 0, 1, 6));
  const base = new MapReader();
  base.apply(
    [5, 6, 7].map((last) => ({
      db: DB.vault,
      key: Uint8Array.of(0, 1, 0, 0, 1, last),
      value: Uint8Array.of(last),
    })),
  );
  const overlay = new Overlay();
  // A payload may lie anywhere in a larger buffer.
  const layer = overlay.add(Buffer.concat([Uint8Array.of(1, 2, 3), batch.payload]).subarray(3));
  const view = new OverlayReader(base, overlay);
  expect(contentOf(view)).toEqual(['32 000100000105 09', '32 000100000107 07']);
  overlay.drop(layer);
  expect(contentOf(view)).toHaveLength(3);
});
