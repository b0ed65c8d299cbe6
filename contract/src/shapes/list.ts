import { z } from 'zod';
import { LIST_TAKE_DEFAULT, LIST_TAKE_MAX } from '../limits.ts';
import { HEADER_TEXT_CHARACTERS_MAX, NUMBER_CHARACTERS_MAX } from '../request-limits.ts';

/** A whole number in a query string, with a default. Strict: neither "", "1e2" nor " 5 " is one. */
export function queryInteger(min: number, max: number, fallback: number) {
  return z
    .string()
    .max(NUMBER_CHARACTERS_MAX)
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .default(fallback);
}

/** "true" or "false" in a query string. */
export const queryFlag = z.enum(['true', 'false']).transform((flag) => flag === 'true');

/** The query parameters of a list (specification, section 2.5; open-shapes, section 2). */
export const pageQuery = z.object({
  skip: queryInteger(0, Number.MAX_SAFE_INTEGER, 0),
  take: queryInteger(1, LIST_TAKE_MAX, LIST_TAKE_DEFAULT),
});

export type Page = z.output<typeof pageQuery>;

/** The envelope of a list; `total` may be a lower bound. */
export interface List<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly skip: number;
  readonly take: number;
}

export function listOf<T extends z.ZodType>(item: T) {
  return z.strictObject({
    items: z.array(item),
    total: z.int().min(0),
    skip: z.int().min(0),
    take: z.int().min(1),
  });
}

/** What a client that comes back to a stream has seen last (HTML standard, section 9.2). */
export const eventStreamHeaders = z.object({
  'last-event-id': z.string().max(HEADER_TEXT_CHARACTERS_MAX).optional(),
});
