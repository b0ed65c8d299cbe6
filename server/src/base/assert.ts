/** A broken assumption of ours, never a caller's mistake: it becomes a 500 and a log record. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** The value, which by our own invariants is there. */
export function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new AssertionError(`missing: ${what}`);
  return value;
}

/** Closes a `switch` over a union: the compiler refuses a member that has no case. */
export function unreachable(value: never): never {
  throw new AssertionError(`unexpected value: ${JSON.stringify(value)}`);
}

/** An object of JSON: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
