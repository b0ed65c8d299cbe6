import type { Immutable } from '@trellis/contract/immutable.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import type { z } from 'zod';

export type Awaitable<T> = T | Promise<T>;

type Statuses<O extends Operation> = keyof O['responses'] & number;

/**
 * What the handler of an operation may answer: a status of its row, with the body that the row
 * promises for it.
 */
export type Answer<O extends Operation> = {
  [Status in Statuses<O>]: O['responses'][Status] extends {
    readonly body: infer Body extends z.ZodType;
  }
    ? { readonly status: Status; readonly body: Immutable<z.output<Body>> }
    : { readonly status: Status; readonly body?: undefined };
}[Statuses<O>];

/** An answer whose status is known to the compiler by its value. */
export function answer<const Status extends number>(status: Status): { readonly status: Status };
export function answer<const Status extends number, const Body>(
  status: Status,
  body: Body,
): { readonly status: Status; readonly body: Body };
export function answer(status: number, body?: unknown): object {
  return body === undefined ? { status } : { status, body };
}
