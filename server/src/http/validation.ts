import type { z } from 'zod';
import { Problem } from '#base/problem.ts';

/** The most faults that one answer names: more would only repeat themselves. */
const FIELDS_MAX = 50;

/**
 * Checks everything that comes from outside: gives the value as the contract's schema makes it, or
 * throws `invalid_request`.
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues.flatMap(fieldsOf).slice(0, FIELDS_MAX);
  const first = fields[0];
  const where = first === undefined || first.path === '' ? what : `${what}, ${first.path}`;
  throw new Problem('invalid_request', `${where}: ${first?.message ?? 'not valid'}`, {
    details: { fields },
  });
}

function fieldsOf(issue: z.core.$ZodIssue): { path: string; message: string }[] {
  const at = (tail: readonly PropertyKey[]): string =>
    [...issue.path, ...tail].map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: at([key]), message: 'is not known here' }));
  }
  return [{ path: at([]), message: issue.message }];
}
