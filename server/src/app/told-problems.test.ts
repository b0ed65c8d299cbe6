import { expect, it } from 'vitest';
import { storageErrors } from '@trellis/contract/errors/storage.ts';
import { Problem } from '#base/problem.ts';
import { INTERNAL_CODES, toldProblem } from '#runtime/sandbox/told-problem.ts';

it('tells the code of endpoints of no problem of the storage more than any client', () => {
  const internal = Object.entries(storageErrors).filter(([, entry]) => entry.internal);
  expect([...INTERNAL_CODES].toSorted()).toEqual(internal.map(([code]) => code).toSorted());
  for (const code of INTERNAL_CODES) {
    const problem = new Problem(code, 'in /a/folder', { hint: 'of /a/folder', details: { a: 1 } });
    const told = toldProblem(problem.toMessage());
    expect(told.code).toBe(code);
    expect(JSON.stringify(told)).not.toContain('folder');
    expect(told.details).toBeUndefined();
  }
  const other = new Problem('node_not_found', 'no such node').toMessage();
  expect(toldProblem(other)).toBe(other);
});
