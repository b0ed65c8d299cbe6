import { isObject } from '#base/assert.ts';
import { didYouMean } from './names.ts';

/**
 * Strict checks of JSON from outside against tagged shapes such as `{op: "link", ...}`. They are
 * written by hand, since hundreds of thousands of operations are checked in a second.
 */

/** Returns what is expected when the value does not fit, else undefined. */
export type MemberCheck = (value: unknown) => string | undefined;

export interface Shape {
  readonly members: ReadonlyMap<string, MemberCheck>;
  readonly required: readonly string[];
}

export interface ShapeFault {
  readonly path: string;
  readonly expected: string;
  readonly hint?: string;
}

export function shape(
  required: readonly string[],
  members: Readonly<Record<string, MemberCheck>>,
): Shape {
  return { required, members: new Map(Object.entries(members)) };
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

export const text: MemberCheck = (value) => (isString(value) ? undefined : 'a string');

export const time: MemberCheck = (value) =>
  isString(value) || typeof value === 'number'
    ? undefined
    : 'a time in ISO 8601, or milliseconds since 1970';

export function listOfText(max: number): MemberCheck {
  return (value) =>
    Array.isArray(value) && value.length <= max && value.every(isString)
      ? undefined
      : `a list of at most ${max} strings`;
}

export function wholeNumber(min: number, max: number): MemberCheck {
  return (value) =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : `a whole number from ${min} to ${max}`;
}

export function oneOf(values: readonly string[]): MemberCheck {
  return (value) =>
    isString(value) && values.includes(value) ? undefined : `one of ${values.join(', ')}`;
}

/**
 * Compares an object with the shape that its member `tag` names. Members that are undefined count
 * as absent. Returns the first fault, or undefined.
 */
export function faultOfTagged(
  value: unknown,
  tag: string,
  shapes: ReadonlyMap<unknown, Shape>,
): ShapeFault | undefined {
  if (!isObject(value)) return { path: '', expected: `an object with the member "${tag}"` };
  const known = shapes.get(value[tag]);
  if (known === undefined) {
    const names = [...shapes.keys()].filter(isString);
    const given = value[tag];
    const hint = isString(given) ? didYouMean(given, names) : {};
    return { path: tag, expected: `one of ${names.join(', ')}`, ...hint };
  }
  for (const name in value) {
    if (name === tag) continue;
    const member = value[name];
    const check = known.members.get(name);
    if (check === undefined) {
      const names = [...known.members.keys()];
      const expected = `only the members ${[tag, ...names].join(', ')}`;
      return { path: name, expected, ...didYouMean(name, names) };
    }
    const expected = member === undefined ? undefined : check(member);
    if (expected !== undefined) return { path: name, expected };
  }
  for (const name of known.required) {
    if (value[name] === undefined)
      return { path: name, expected: 'this member, which is required' };
  }
  return undefined;
}
