import {
  QUERY_HOPS_MAX,
  QUERY_OPERANDS_MAX,
  QUERY_PATHS_MAX,
  QUERY_STEPS_MAX,
  QUERY_TAKE_MAX,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { QUERY_VECTOR_CHARACTERS_MAX, SEARCH_VECTOR_FIELDS_MAX } from '#base/search-limits.ts';
import { SIMILAR_NODES_MAX } from '@trellis/contract/limits.ts';
import { shorten } from '../names.ts';
import { isObject } from '#base/assert.ts';
import { faultOfTagged, isString, listOfText, oneOf } from '../shape-check.ts';
import { shape, text, time, wholeNumber } from '../shape-check.ts';
import type { MemberCheck, Shape, ShapeFault } from '../shape-check.ts';
import { COMPARISONS, type Query } from './plan.ts';

const anything: MemberCheck = () => undefined;
const names = listOfText(QUERY_OPERANDS_MAX);
const hops = wholeNumber(1, QUERY_HOPS_MAX);
const compare = oneOf(COMPARISONS);
const order = oneOf(['asc', 'desc']);
const oneWay = oneOf(['out', 'in']);

const steps: MemberCheck = (value) => (Array.isArray(value) ? undefined : 'a list of steps');

const point: MemberCheck = (value) =>
  isObject(value) && isWithin(value['lat'], 90) && isWithin(value['lon'], 180)
    ? undefined
    : '{lat, lon} with lat from -90 to 90 and lon from -180 to 180';

const distance: MemberCheck = (value) =>
  typeof value === 'number' && value >= 0 && value < Infinity ? undefined : 'kilometres, 0 or more';

const vectors: MemberCheck = (value) =>
  isObject(value) && Object.keys(value).length <= SEARCH_VECTOR_FIELDS_MAX && areVectors(value)
    ? undefined
    : 'vectors by model, each as base64 of 32-bit floats';

const cosine: MemberCheck = (value) =>
  typeof value === 'number' && value >= -1 && value <= 1 ? undefined : 'a number from -1 to 1';

const SIMILARITY = {
  count: wholeNumber(1, SIMILAR_NODES_MAX),
  types: names,
  fields: names,
  similarityMin: cosine,
};
const NEIGHBORS = shape([], { type: text, edge: text });
const NESTED = shape(['steps'], { steps });
const amount = wholeNumber(0, QUERY_TAKE_MAX);
const COUNT = shape(['count'], { count: amount });
const ORDER = shape([], { direction: order });

const STEPS: ReadonlyMap<unknown, Shape> = new Map([
  ['startAt', shape(['type'], { type: text, keys: names })],
  ['startAtUids', shape(['uids'], { uids: names })],
  [
    'startWhere',
    shape(['type', 'field', 'compare'], { type: text, field: text, compare, value: anything }),
  ],
  [
    'startNear',
    shape(['type', 'field', 'point', 'km'], { type: text, field: text, point, km: distance }),
  ],
  ['startSearch', shape(['type', 'field', 'text'], { type: text, field: text, text })],
  ['startAtVectors', shape(['vectors'], { vectors, ...SIMILARITY })],
  ['startAtSimilar', shape(['uids'], { uids: names, ...SIMILARITY })],
  ['out', NEIGHBORS],
  ['in', NEIGHBORS],
  ['outMany', shape(['hops'], { hops, types: names, edges: names })],
  ['where', shape(['field', 'compare'], { field: text, compare, value: anything })],
  ['whereTime', shape([], { from: time, to: time })],
  ['after', shape(['timestamp', 'uids'], { timestamp: time, uids: names })],
  ['isRelatedTo', shape(['uid'], { uid: text, edge: text })],
  ['union', NESTED],
  ['except', NESTED],
  ['intersect', NESTED],
  ['distinct', shape([], {})],
  ['similar', shape([], SIMILARITY)],
  ['sortBy', shape(['field'], { field: text, direction: order })],
  ['sortByTimestamp', ORDER],
  ['sortByConnectivity', ORDER],
  ['skip', COUNT],
  ['take', COUNT],
  ['asUser', shape([], {})],
]);

const EMPTY = shape([], {});
const PATH = { to: text, maxHops: hops, edges: names, direction: oneOf(['out', 'in', 'both']) };

const ENDS: ReadonlyMap<unknown, Shape> = new Map([
  ['nodes', shape([], { fields: names })],
  ['uids', EMPTY],
  ['count', EMPTY],
  ['scored', EMPTY],
  ['edges', shape([], { edge: text, direction: oneWay, skip: amount, take: amount })],
  ['summary', EMPTY],
  ['neighborsSummary', shape([], { direction: oneWay })],
  ['explain', EMPTY],
  ['groupBy', shape(['field'], { field: text })],
  ['shortestPath', shape(['to'], PATH)],
  ['shortestPaths', shape(['to', 'take'], { ...PATH, take: wholeNumber(1, QUERY_PATHS_MAX) })],
]);

/**
 * Checks the shape of a query that came from endpoint code: known steps and an end, with their
 * members and no others, a start in front of every list of steps and nowhere else. Names are
 * checked against the schema when the query is prepared. Throws `invalid_query` with `details`
 * `{path, expected}`.
 */
export function checkQuery(value: unknown): asserts value is Query {
  if (!isObject(value)) throw invalidShape('', { path: '', expected: 'an object {steps, end}' });
  checkSteps(value['steps'], 'steps', 0);
  const fault = faultOfTagged(value['end'], 'end', ENDS);
  if (fault !== undefined) throw invalidShape('end', fault);
}

/** `count` is the number of steps before these; answers it with these. */
function checkSteps(value: unknown, path: string, count: number): number {
  if (!Array.isArray(value)) throw invalidShape('', { path, expected: 'a list of steps' });
  let isStarted = false;
  let total = count;
  for (let i = 0; i < value.length; i++) {
    const step: unknown = value[i];
    const fault = faultOfTagged(step, 'op', STEPS);
    if (fault !== undefined) throw invalidShape(`${path}[${i}]`, fault);
    if (++total > QUERY_STEPS_MAX) {
      const expected = `at most ${QUERY_STEPS_MAX} steps in all`;
      throw invalidShape(`${path}[${i}]`, { path: '', expected });
    }
    const { op, steps: nested } = step as { op: string; steps?: unknown };
    if (op === 'asUser') continue;
    if (op.startsWith('start') === isStarted) {
      const expected = isStarted ? 'a start in the first place only' : 'a start like startAt first';
      throw invalidShape(`${path}[${i}]`, { path: 'op', expected });
    }
    isStarted = true;
    if (nested !== undefined) total = checkSteps(nested, `${path}[${i}].steps`, total);
  }
  if (!isStarted) throw invalidShape('', { path, expected: 'a start like startAt first' });
  return total;
}

function isWithin(value: unknown, max: number): boolean {
  return typeof value === 'number' && Math.abs(value) <= max;
}

function areVectors(byModel: Readonly<Record<string, unknown>>): boolean {
  return Object.values(byModel).every(
    (vector) => isString(vector) && vector.length <= QUERY_VECTOR_CHARACTERS_MAX,
  );
}

function invalidShape(at: string, fault: ShapeFault): Problem {
  const path = shorten([at, fault.path].filter((part) => part !== '').join('.'));
  return new Problem(
    'invalid_query',
    `The query is not valid at "${path}": expected ${fault.expected}`,
    {
      ...(fault.hint === undefined ? {} : { hint: fault.hint }),
      details: { path, expected: fault.expected },
    },
  );
}
