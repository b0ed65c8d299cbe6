import { expect, test } from 'vitest';
import type { FieldValue } from '#graph/field-types.ts';
import {
  type EdgeStatement,
  emptyEvidence,
  formerValues,
  isStated,
  type NodeEvidence,
  retracted,
  type Values,
  withEdge,
  withStatement,
} from './evidence.ts';

/** A node with its evidence, as documents and people write it. */
class Told {
  evidence: NodeEvidence = emptyEvidence(false);
  values: Record<string, FieldValue>;

  constructor(values: Values = {}) {
    this.values = { ...values };
  }

  says(document: string, fields: Values, quote = 'so it is'): this {
    const statement = { document, source: 'Text', quote, page: null, confidence: 1, fields };
    this.evidence = withStatement(this.evidence, statement, (field) => this.values[field]);
    return this.writes(fields);
  }

  writes(fields: Values): this {
    for (const [field, value] of Object.entries(fields)) {
      if (value === null) delete this.values[field];
      else this.values[field] = value;
    }
    return this;
  }

  retracts(document: string, quote?: string): this {
    const isMade = (one: EdgeStatement): boolean =>
      one.document !== document || (quote !== undefined && one.quote !== quote);
    const left = Object.entries(this.values).map(([field, value]) => [
      field,
      formerValues(this.evidence, isMade, { field, value }).at(-1),
    ]);
    this.evidence = retracted(this.evidence, isMade).evidence;
    return this.writes(Object.fromEntries(left));
  }
}

test('what only one document said is as before', () => {
  const told = new Told({ Year: 1 }).says('a', { Year: 2, Name: 'x' });
  expect(told.values).toEqual({ Year: 2, Name: 'x' });
  expect(told.retracts('a').values).toEqual({ Year: 1 });
  expect(isStated(told.evidence)).toBe(false);
});

test.each([
  [['a', 'b'], { Name: 'x' }, {}],
  [['b', 'a'], { Name: 'x' }, {}],
])('what two documents say stays with one of them: %j', (order, after, last) => {
  const told = new Told().says('a', { Name: 'x' }).says('b', { Name: 'x' });
  expect(told.retracts(order[0]!).values).toEqual(after);
  expect(told.retracts(order[1]!).values).toEqual(last);
});

test('the older document holds again when the newer one says nothing any more', () => {
  const told = new Told({ Year: 1 }).says('a', { Year: 2 }).says('b', { Year: 3 });
  expect(told.retracts('b').values).toEqual({ Year: 2 });
  expect(told.says('b', { Year: 3 }).retracts('a').values).toEqual({ Year: 3 });
  expect(told.retracts('b').values).toEqual({ Year: 1 });
});

test('what a person has changed stays, also between two documents', () => {
  expect(new Told().says('a', { Year: 2 }).writes({ Year: 7 }).retracts('a').values).toEqual({
    Year: 7,
  });
  const told = new Told().says('a', { Year: 2 }).writes({ Year: 7 }).says('b', { Year: 3 });
  expect(told.retracts('b').values).toEqual({ Year: 7 });
  expect(told.retracts('a').values).toEqual({ Year: 7 });
});

test('a document that changes keeps what it still says', () => {
  const told = new Told().says('a', { Year: 2 }, 'old').says('a', { Name: 'x' }, 'kept');
  expect(told.retracts('a', 'old').values).toEqual({ Name: 'x' });
  expect(isStated(told.evidence)).toBe(true);
});

test('an edge goes with the last document that says it', () => {
  const of = (document: string) => {
    return { document, source: 'Text', quote: 'q', page: null, confidence: 1 };
  };
  const both = withEdge(
    withEdge(emptyEvidence(true), { edge: 'Knows', to: 'n' }, of('a')),
    { edge: 'Knows', to: 'n' },
    of('b'),
  );
  const one = retracted(both, ({ document }) => document !== 'a');
  expect(one.unlinked).toEqual([]);
  const gone = retracted(one.evidence, ({ document }) => document !== 'b');
  expect(gone.unlinked).toEqual([{ edge: 'Knows', to: 'n' }]);
  expect(isStated(gone.evidence)).toBe(false);
});

test('a value of before later statements is taken back as it was stated', () => {
  const told = new Told({ Year: 1 }).says('a', { Year: 2 }).says('b', { Year: 3 });
  const { evidence } = told.writes({ Year: 7 }).says('b', { Year: 4 });
  const former = (gone: readonly string[], value: number) =>
    formerValues(evidence, ({ document }) => !gone.includes(document), { field: 'Year', value });
  expect(former(['a', 'b'], 4)).toEqual([4, 7]);
  expect(former(['a', 'b'], 3)).toEqual([3, 2, 1]);
  expect(former(['b'], 3)).toEqual([3, 2]);
  expect(former(['b'], 2)).toEqual([2]);
  // Nobody has stated it.
  expect(former(['a', 'b'], 9)).toEqual([9]);
});
