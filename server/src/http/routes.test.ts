import { describe, expect, it } from 'vitest';
import { operations } from '@trellis/contract/operations.ts';
import { routes } from './routes.ts';

describe('the contract and its routes', () => {
  it('are the same operations, in the same order', () => {
    expect(routes.map((route) => route.operation)).toEqual(operations);
  });
});
