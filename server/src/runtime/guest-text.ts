/**
 * A text for people, of what the code of an endpoint made, once it has crossed as JSON. It never
 * throws, as `String` does for `{"toString": 1}`.
 */
export function guestText(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
