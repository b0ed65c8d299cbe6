import type { Operation } from '@trellis/contract/operation.ts';
import { operations } from '@trellis/contract/operations.ts';
import { describe, expect, it } from 'vitest';
import { isServedByReplicas, SERVED_BY_REPLICAS } from './routing-table.ts';

const name = ({ method, path }: Operation) => `${method} ${path}`;
/** A call of the operation. */
const pathOf = (path: string) =>
  path
    .replaceAll('{provider}', 'okta')
    .replaceAll(/\{\+\w+\}/g, 'a/b')
    .replaceAll(/\{\w+\}/g, 'a');
const isOfTheServerItself = ({ area }: Operation) =>
  area === 'status' || area === 'replicas' || area === 'stats';
const isExpected = (row: Operation) => row.onReplica === 'serve' && !isOfTheServerItself(row);
const isServed = ({ method, path }: Operation) => isServedByReplicas(method, pathOf(path));

describe('the routing table', () => {
  it('has the operations that the contract lets a replica serve, but those of the server itself', () => {
    const rows = operations.filter(isExpected);
    expect(SERVED_BY_REPLICAS).toEqual(rows.map(name).toSorted());
    expect(rows.filter((row) => !isServed(row))).toEqual([]);
  });

  it('takes no other operation for one of them', () => {
    const others = operations.filter((row) => !isExpected(row));
    expect(others.filter(isServed).map(name)).toEqual([]);
  });
});
