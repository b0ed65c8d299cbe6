import { assert } from '#base/assert.ts';
import { QUERY_SCAN_TOLD_ROWS } from '#base/limits.ts';
import { isListTag, scalarOf } from '../field-types.ts';
import { IdList } from '../id-list.ts';
import type { Visibility } from '../reader.ts';
import type { StateReader } from '../state-reader.ts';
import { checkQuery } from './check-query.ts';
import { compareTyped } from './comparison.ts';
import { prepareEnd } from './ends.ts';
import { after, filter, isRelatedTo, where, whereTime } from './filters.ts';
import type { Query, QueryStep } from './plan.ts';
import {
  collectAll,
  type Finders,
  type IdPieces,
  invalidQuery,
  QueryContext,
} from './query-context.ts';
import { planStart, type StartPlan } from './start-plan.ts';
import { accessOf, type Explanation, QueryTrace, type StepAccess } from './trace.ts';
import { similar, startAtSimilar, startAtVectors } from './similarity.ts';
import { startAt, startAtUids, startNear, startSearch, startWhere } from './starts.ts';
import { follow, outMany } from './traversal.ts';
import { nodesLookedUp, planLookUp } from './value-look-up.ts';

/** What there is no finder for, is refused. */
export interface QueryOptions extends Finders {
  /** What the user of `asUser` may see; asked for once, and only when the query mentions it. */
  readonly visibility?: Visibility | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of a query that read much, and that an index of the field would serve. */
  readonly onScan?: ((scan: QueryScan) => void) | undefined;
  /** Told of each query that has ended well. */
  readonly onRun?: ((run: QueryRun) => void) | undefined;
}

/** How a query was carried out. */
export interface QueryRun {
  /** Where its first nodes came from. */
  readonly access: StepAccess;
  /** The fields of the index that was used. */
  readonly index?: string | undefined;
  /** Keys, nodes and edges that were read. */
  readonly rowsRead: number;
  /** Items of the answer; 1 when it is no list. */
  readonly rowsGiven: number;
}

export interface QueryScan {
  readonly type: string;
  readonly field: string;
  readonly rowsRead: number;
}

/**
 * Runs a query at one commit and answers what its end describes (see `plan.ts`), as JSON. Steps
 * work on sets of ids, and nodes are read only where a step or the end needs them. `asUser`
 * anywhere in the query, in a nested set too, limits all of it to what the user may see.
 *
 * Throws `invalid_query` for a query that is malformed or names what the schema does not have, and
 * the signal's reason.
 */
export function runQuery(reader: StateReader, query: Query, options: QueryOptions = {}): unknown {
  checkQuery(query);
  options.signal?.throwIfAborted();
  const nodes = nodesLookedUp(reader, query);
  if (nodes !== undefined) {
    options.onRun?.(lookUpOf(query, nodes.length));
    return nodes;
  }
  const isLimited = mentionsAsUser(query.steps);
  const visibility = isLimited ? options.visibility : undefined;
  if (isLimited && visibility === undefined) {
    throw invalidQuery('asUser() needs a user, and this query runs without one', {
      path: 'steps',
      hint: 'Call the endpoint as a signed-in user, or with a token that has an acting user.',
    });
  }
  const context = new QueryContext(reader, visibility, options.signal, options);
  const { steps, end } = query;
  if (end.end === 'explain') {
    const explanation = explain(context, steps);
    options.onRun?.(runOf(context, steps, undefined, explanation));
    return explanation;
  }
  const finish = prepareEnd(context, { steps, end });
  const { pieces, plan, start } = prepareSteps(context, steps, 'steps');
  const answer = finish(pieces, plan);
  const [wanted] = context.advice;
  if (wanted !== undefined && context.rowsRead > QUERY_SCAN_TOLD_ROWS) {
    const { type, field } = wanted;
    options.onScan?.({ type, field, rowsRead: context.rowsRead });
  }
  if (options.onRun !== undefined) options.onRun(runOf(context, steps, start, answer));
  return answer;
}

/** Of a query that `nodesLookedUp` answers. */
function lookUpOf({ steps: [start] }: Query, rows: number): QueryRun {
  const index = start?.op === 'startWhere' ? start.field : undefined;
  return { access: 'index', index, rowsRead: rows, rowsGiven: rows };
}

function runOf(
  { rowsRead }: QueryContext,
  [first]: readonly QueryStep[],
  plan: StartPlan | undefined,
  answer: unknown,
): QueryRun {
  const access = plan?.access ?? (first === undefined ? 'scan' : accessOf(first));
  const index = plan?.index?.fields.map(({ name }) => name).join(', ');
  return { access, index, rowsRead, rowsGiven: Array.isArray(answer) ? answer.length : 1 };
}

/** Runs the steps to their end, and tells how they were carried out. */
function explain(context: QueryContext, steps: readonly QueryStep[]): Explanation {
  const trace = new QueryTrace();
  const { pieces } = prepareSteps(context, steps, 'steps', trace);
  const all = pieces[Symbol.iterator]();
  while (all.next().done !== true) context.checkpoint();
  return trace.explanation(context);
}

function mentionsAsUser(steps: readonly QueryStep[]): boolean {
  return steps.some(
    (step) => step.op === 'asUser' || ('steps' in step && mentionsAsUser(step.steps)),
  );
}

/**
 * Chains the steps. All names are checked here; nothing is read yet but what a plan weighs, and
 * look-ups by key and UID.
 */
function prepareSteps(
  context: QueryContext,
  steps: readonly QueryStep[],
  path: string,
  trace?: QueryTrace,
): Prepared {
  const plan = planLookUp(context, steps) ?? planStart(context, steps, path);
  let pieces = plan && (trace?.plan(steps, plan, context) ?? plan.pieces);
  for (let i = plan?.next ?? 0; i < steps.length; i++) {
    const step = steps[i];
    if (step === undefined || step.op === 'asUser') continue;
    const prepared = prepareStep(context, pieces, step, `${path}[${i}]`);
    pieces = trace === undefined ? prepared : trace.take(step, prepared, context);
  }
  assert(pieces !== undefined, 'a checked query has a start');
  return { pieces, plan: plan?.next === steps.length ? plan : undefined, start: plan };
}

interface Prepared {
  readonly pieces: IdPieces;
  /** How the first steps are carried out, if they are planned. */
  readonly start: StartPlan | undefined;
  /** Where one look into an index is all of it. */
  readonly plan: StartPlan | undefined;
}

function prepareStep(
  context: QueryContext,
  source: IdPieces | undefined,
  step: Exclude<QueryStep, { op: 'asUser' }>,
  path: string,
): IdPieces {
  switch (step.op) {
    case 'startAt':
      return startAt(context, step, path);
    case 'startAtUids':
      return startAtUids(context, step);
    case 'startWhere':
      return startWhere(context, step, path);
    case 'startNear':
      return startNear(context, step, path);
    case 'startSearch':
      return startSearch(context, step, path);
    case 'startAtVectors':
      return startAtVectors(context, step, path);
    case 'startAtSimilar':
      return startAtSimilar(context, step, path);
    default:
      assert(source !== undefined, 'a checked query begins with a start');
      return prepareLaterStep(context, source, step, path);
  }
}

type LaterStep = Exclude<QueryStep, { op: 'asUser' | `start${string}` }>;

function prepareLaterStep(
  context: QueryContext,
  source: IdPieces,
  step: LaterStep,
  path: string,
): IdPieces {
  switch (step.op) {
    case 'out':
    case 'in':
      return follow(context, source, step, path);
    case 'outMany':
      return outMany(context, source, step, path);
    case 'where':
      return where(context, source, step, path);
    case 'whereTime':
      return whereTime(context, source, step, path);
    case 'after':
      return after(context, source, step, path);
    case 'isRelatedTo':
      return isRelatedTo(context, source, step, path);
    case 'union':
      return union(context, source, prepareSteps(context, step.steps, `${path}.steps`).pieces);
    case 'except':
      return except(context, source, prepareSteps(context, step.steps, `${path}.steps`).pieces);
    case 'intersect':
      return intersect(context, source, prepareSteps(context, step.steps, `${path}.steps`).pieces);
    case 'distinct':
      // A set holds each node once as it is.
      return source;
    case 'similar':
      return similar(context, source, step, path);
    case 'sortBy':
      return sortBy(context, source, step, path);
    case 'sortByTimestamp':
      return sortByTimestamp(context, source, step);
    case 'sortByConnectivity':
      return sortByConnectivity(context, source, step);
    case 'skip':
      return skip(source, step.count);
    case 'take':
      return take(source, step.count);
  }
}

/** The first set, then what only the second has. */
function* union(
  context: QueryContext,
  first: IdPieces,
  second: IdPieces,
): IdPieces & Generator<IdList> {
  const seen = new Set<number>();
  for (const piece of first) {
    for (let i = 0; i < piece.length; i++) seen.add(piece.at(i));
    yield piece;
  }
  yield* filter(context, second, (id) => !seen.has(id));
}

/** What is in the first set and not in the second. */
function except(context: QueryContext, first: IdPieces, second: IdPieces): IdPieces {
  const isInSecond = membership(context, second);
  return filter(context, first, (id) => !isInSecond(id));
}

/** What is in both, in the order of the first. */
function intersect(context: QueryContext, first: IdPieces, second: IdPieces): IdPieces {
  return filter(context, first, membership(context, second));
}

/** Reads the set when the first question is asked. */
function membership(context: QueryContext, pieces: IdPieces): (id: number) => boolean {
  let ids: Set<number> | undefined;
  return (id) => {
    ids ??= new Set(collectAll(context, pieces).toArray());
    return ids.has(id);
  };
}

function* skip(source: IdPieces, count: number): IdPieces & Generator<IdList> {
  const rest = new IdList();
  let toSkip = count;
  for (const piece of source) {
    if (toSkip === 0) {
      yield piece;
      continue;
    }
    const skipped = Math.min(toSkip, piece.length);
    toSkip -= skipped;
    rest.length = 0;
    for (let i = skipped; i < piece.length; i++) rest.push(piece.at(i));
    if (rest.length > 0) yield rest;
  }
}

/** Asks its source for no more than it needs. */
function* take(source: IdPieces, count: number): IdPieces & Generator<IdList> {
  let left = count;
  if (left === 0) return;
  for (const piece of source) {
    // The piece is its maker's; it is not used again once it is cut.
    piece.length = Math.min(piece.length, left);
    left -= piece.length;
    yield piece;
    if (left === 0) return;
  }
}

type Step<Op extends QueryStep['op']> = Extract<QueryStep, { op: Op }>;

/**
 * Orders a set by a field, ascending unless told otherwise; nodes without it come last either way,
 * and equal ones keep their order. A list counts by its first item. Where a field has different
 * types in different node types, the types stand apart.
 */
function sortBy(
  context: QueryContext,
  source: IdPieces,
  step: Step<'sortBy'>,
  path: string,
): IdPieces {
  context.fieldTags(step.field, undefined, `${path}.field`);
  const sign = step.direction === 'desc' ? -1 : 1;
  return sorted(context, source, (ids) => {
    const rows = ids.map((id) => {
      const value = context.read(id, step.field);
      const scalar = scalarOf(context.tag);
      const first: unknown = isListTag(context.tag) && Array.isArray(value) ? value[0] : value;
      return { id, scalar, value: first };
    });
    rows.sort((a, b) => {
      if (a.value === undefined || b.value === undefined) {
        return Number(a.value === undefined) - Number(b.value === undefined);
      }
      return sign * compareTyped(a, b);
    });
    return rows.map(({ id }) => id);
  });
}

/** Newest first unless told otherwise. */
function sortByTimestamp(
  context: QueryContext,
  source: IdPieces,
  step: Step<'sortByTimestamp'>,
): IdPieces {
  return sortByNumber(context, source, step.direction ?? 'desc', (id) => context.timestampMs(id));
}

/** By the number of edges in both directions, the most connected first unless told otherwise. */
function sortByConnectivity(
  context: QueryContext,
  source: IdPieces,
  step: Step<'sortByConnectivity'>,
): IdPieces {
  return sortByNumber(context, source, step.direction ?? 'desc', (id) => context.degree(id));
}

function sortByNumber(
  context: QueryContext,
  source: IdPieces,
  direction: 'asc' | 'desc',
  numberOf: (id: number) => number,
): IdPieces {
  const sign = direction === 'desc' ? -1 : 1;
  return sorted(context, source, (ids) => {
    const rows = ids.map((id) => ({ id, number: numberOf(id) }));
    rows.sort((a, b) => sign * (a.number - b.number));
    return rows.map(({ id }) => id);
  });
}

function* sorted(
  context: QueryContext,
  source: IdPieces,
  order: (ids: readonly number[]) => readonly number[],
): IdPieces & Generator<IdList> {
  const ids = order(collectAll(context, source).toArray());
  if (ids.length > 0) yield IdList.of(ids);
}
