import { expect, test } from 'vitest';
import type { FieldValue } from '#graph/field-types.ts';
import {
  emptyEvidence,
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
    const { evidence, fields } = retracted(
      this.evidence,
      (one) => one.document !== document || (quote !== undefined && one.quote !== quote),
      (field) => this.values[field],
    );
    this.evidence = evidence;
    return this.writes(fields);
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
  const of = (document: string) => ({ document, source: 'Text', quote: 'q' });
  const both = withEdge(
    withEdge(emptyEvidence(true), { edge: 'Knows', to: 'n' }, of('a')),
    { edge: 'Knows', to: 'n' },
    of('b'),
  );
  const none = (): undefined => undefined;
  const one = retracted(both, ({ document }) => document !== 'a', none);
  expect(one.unlinked).toEqual([]);
  const gone = retracted(one.evidence, ({ document }) => document !== 'b', none);
  expect(gone.unlinked).toEqual([{ edge: 'Knows', to: 'n' }]);
  expect(isStated(gone.evidence)).toBe(false);
});
