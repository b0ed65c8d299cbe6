import { describe, expect, it } from 'vitest';
import { operations } from '@trellis/contract/operations.ts';
import { routes } from './routes.ts';
import { SAMPLE_REQUESTS } from './testing/sample-requests.ts';

describe('the contract and its routes', () => {
  it('are the same operations, in the same order', () => {
    expect(routes.map((route) => route.operation)).toEqual(operations);
  });

  it('have one sample request for each operation', () => {
    expect(Object.keys(SAMPLE_REQUESTS).toSorted()).toEqual(
      operations.map(({ id }) => id).toSorted(),
    );
  });
});
