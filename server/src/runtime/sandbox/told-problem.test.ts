import { expect, it } from 'vitest';
import { storageErrors } from '@trellis/contract/errors/storage.ts';
import type { ErrorCode } from '@trellis/contract/errors.ts';
import { Problem } from '#base/problem.ts';
import { toldProblem } from './graph-requests.ts';

it('tells the code of endpoints of no problem of the storage more than any client', () => {
  const internal = Object.entries(storageErrors).filter(([, entry]) => entry.internal);
  expect(internal.map(([code]) => code)).toContain('storage_corrupt');
  for (const [code] of internal) {
    const problem = new Problem(code as ErrorCode, 'in /a/folder', {
      hint: 'of /a/folder',
      details: { a: 1 },
    });
    const told = toldProblem(problem.toMessage());
    expect(told.code).toBe(code);
    expect(JSON.stringify(told)).not.toContain('folder');
    expect(told.details).toBeUndefined();
  }
  const other = new Problem('node_not_found', 'no such node').toMessage();
  expect(toldProblem(other)).toBe(other);
});
