import { assert } from '#base/assert.ts';
import type { Visibility } from '../reader.ts';
import type { StateReader } from '../state-reader.ts';
import { checkQuery } from './check-query.ts';
import { prepareEnd } from './ends.ts';
import { isRelatedTo, where, whereTime } from './filters.ts';
import { sortBy, sortByConnectivity, sortByTimestamp } from './ordering.ts';
import type { Query, QueryStep } from './plan.ts';
import { QueryContext, invalidQuery } from './query-context.ts';
import type { Finders, IdPieces } from './query-context.ts';
import { except, intersect, skip, take, union } from './sets.ts';
import { similar, startAtSimilar, startAtVectors } from './similarity.ts';
import { startAt, startAtUids, startNear, startSearch, startWhere } from './starts.ts';
import { follow, outMany } from './traversal.ts';

/** What there is no finder for, is refused. */
export interface QueryOptions extends Finders {
  /** What the user of `asUser` may see; asked for once, and only when the query mentions it. */
  readonly visibility?: Visibility | undefined;
  readonly signal?: AbortSignal | undefined;
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
  const isLimited = mentionsAsUser(query.steps);
  const visibility = isLimited ? options.visibility : undefined;
  if (isLimited && visibility === undefined) {
    throw invalidQuery('asUser() needs a user, and this query runs without one', {
      path: 'steps',
      hint: 'Call the endpoint as a signed-in user, or with a token that has an acting user.',
    });
  }
  const context = new QueryContext(reader, visibility, options.signal, options);
  const finish = prepareEnd(context, query);
  return finish(prepareSteps(context, query.steps, 'steps'));
}

function mentionsAsUser(steps: readonly QueryStep[]): boolean {
  return steps.some(
    (step) => step.op === 'asUser' || ('steps' in step && mentionsAsUser(step.steps)),
  );
}

/**
 * Chains the steps. All names are checked here; nothing but look-ups by key and UID is read yet.
 */
function prepareSteps(context: QueryContext, steps: readonly QueryStep[], path: string): IdPieces {
  let pieces: IdPieces | undefined;
  steps.forEach((step, i) => {
    if (step.op !== 'asUser') pieces = prepareStep(context, pieces, step, `${path}[${i}]`);
  });
  assert(pieces !== undefined, 'a checked query has a start');
  return pieces;
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
    case 'isRelatedTo':
      return isRelatedTo(context, source, step, path);
    case 'union':
      return union(context, source, prepareSteps(context, step.steps, `${path}.steps`));
    case 'except':
      return except(context, source, prepareSteps(context, step.steps, `${path}.steps`));
    case 'intersect':
      return intersect(context, source, prepareSteps(context, step.steps, `${path}.steps`));
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
