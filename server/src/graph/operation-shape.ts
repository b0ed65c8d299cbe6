import { isObject } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { NODE_ALIASES_MAX } from '@trellis/contract/limits.ts';
import { shorten } from './names.ts';
import type { WriterOperation } from './operations.ts';
import {
  faultOfTagged,
  isString,
  listOfText,
  type MemberCheck,
  shape,
  type Shape,
  text,
  time,
  wholeNumber,
} from './shape-check.ts';

const fields: MemberCheck = (value) =>
  isObject(value) ? undefined : 'an object from field name to value';

const REFERENCE = 'a node as {type, key}, {uid} or its UID';

const reference: MemberCheck = (value) => (isReference(value) ? undefined : REFERENCE);

const references: MemberCheck = (value) =>
  Array.isArray(value) && value.every(isReference) ? undefined : `a list, each ${REFERENCE}`;

const version = wholeNumber(0, 0xffff_ffff);

const NODE_WRITE = shape([], {
  type: text,
  key: text,
  uid: text,
  fields,
  timestamp: time,
  aliases: listOfText(NODE_ALIASES_MAX),
  ifVersion: version,
});

const RESTRICTION = shape(['node'], {
  node: reference,
  team: reference,
  user: reference,
  ifVersion: version,
});
const MEMBERSHIP = shape(['team'], {
  team: reference,
  user: reference,
  member: reference,
  ifVersion: version,
});

const EDGE = { from: reference, edge: text, inverse: text, ifVersion: version };

const SHAPES: ReadonlyMap<unknown, Shape> = new Map([
  ['addOrUpdate', NODE_WRITE],
  ['tryAdd', NODE_WRITE],
  ['update', NODE_WRITE],
  ['delete', shape([], { uid: text, type: text, key: text, ifVersion: version })],
  ['link', shape(['from', 'edge', 'to'], { ...EDGE, to: reference, fields, timestamp: time })],
  ['unlink', shape(['from', 'edge', 'to'], { ...EDGE, to: reference })],
  ['unlinkExcept', shape(['from', 'edge', 'keep'], { ...EDGE, keep: references })],
  ['restrict', RESTRICTION],
  ['unrestrict', RESTRICTION],
  ['addToTeam', MEMBERSHIP],
  ['removeFromTeam', MEMBERSHIP],
]);

/**
 * Checks that a JSON value has the shape of an operation: a known `op`, its members and no others,
 * each of the right type. Names and values are checked against the schema later, by the transactor.
 * Throws `invalid_operation` with `details` `{index, path, expected}`.
 */
export function checkOperation(value: unknown, index: number): asserts value is WriterOperation {
  const fault = faultOfTagged(value, 'op', SHAPES);
  if (fault === undefined) return;
  const { expected, hint } = fault;
  const path = shorten(fault.path);
  const place = path === '' ? '' : ` at "${path}"`;
  throw new Problem('invalid_operation', `Operation ${index}${place}: expected ${expected}`, {
    ...(hint === undefined ? {} : { hint }),
    details: { index, path, expected },
  });
}

function isReference(value: unknown): boolean {
  if (isString(value)) return true;
  if (!isObject(value)) return false;
  const { uid, type, key } = value;
  for (const name in value) {
    if (name !== 'uid' && name !== 'type' && name !== 'key') return false;
  }
  return uid === undefined
    ? isString(type) && isString(key)
    : isString(uid) && type === undefined && key === undefined;
}
