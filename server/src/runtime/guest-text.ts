import { Problem } from '#base/problem.ts';

/**
 * A text for people, of what the code of an endpoint made, once it has crossed as JSON. It never
 * throws, as `String` does for `{"toString": 1}`.
 */
export function guestText(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** The path of an endpoint that code wants to run. Throws `invalid_request`. */
export function pathOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const message = `An endpoint is named by its path, a text, not ${guestText(value)}`;
  throw new Problem('invalid_request', message, { hint: "Such as run('tasks/overview')." });
}
