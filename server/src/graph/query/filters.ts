import { ANY_EDGE } from '../adjacency.ts';
import { IdList } from '../id-list.ts';
import type { NodeType } from '../schema-registry.ts';
import { parseTime } from '../time.ts';
import { predicateOf } from './comparison.ts';
import type { Predicate } from './comparison.ts';
import type { Comparison, QueryStep } from './plan.ts';
import { invalidQuery } from './query-context.ts';
import type { IdPieces, QueryContext } from './query-context.ts';
import { ALWAYS, isWithinTime, type TimeSpan } from './time-span.ts';

type Step<Op extends QueryStep['op']> = Extract<QueryStep, { op: Op }>;

/** The nodes of a set that meet a test, in their order. */
export function* filter(
  context: QueryContext,
  source: IdPieces,
  test: (id: number) => boolean,
): IdPieces & Generator<IdList> {
  const kept = new IdList();
  for (const piece of source) {
    context.checkpoint();
    context.rowsRead += piece.length;
    kept.length = 0;
    for (let i = 0; i < piece.length; i++) {
      if (test(piece.at(i))) kept.push(piece.at(i));
    }
    if (kept.length > 0) yield kept;
  }
}

/**
 * The test of one field. A field may have different types in different node types: the operand has
 * to fit one of them at least, and is compared with those that it fits.
 */
export function fieldTest(
  context: QueryContext,
  step: { readonly field: string; readonly compare: Comparison; readonly value?: unknown },
  type: NodeType | undefined,
  path: string,
): (id: number) => boolean {
  const { field, compare, value: operand } = step;
  const predicates = new Map<number, Predicate | undefined>();
  for (const tag of context.fieldTags(field, type, `${path}.field`)) {
    predicates.set(tag, predicateOf(tag, compare, operand));
  }
  const fits = (tag: number): boolean => predicates.get(tag) !== undefined;
  const told = [...predicates.keys()].every(fits) ? [] : context.toldTags(field, type);
  if (told.length > 0 && !told.some(fits)) {
    throw invalidQuery(`The field "${field}" cannot be compared by "${compare}" with this value`, {
      path: `${path}.value`,
    });
  }
  const isMetByAbsence = compare === '!=' || (compare === 'exists' && operand === false);
  return (id) => {
    const value = context.read(id, field);
    return value === undefined
      ? isMetByAbsence
      : (predicates.get(context.tag)?.(value) ?? compare === '!=');
  };
}

export function where(
  context: QueryContext,
  source: IdPieces,
  step: Step<'where'>,
  path: string,
): IdPieces {
  return filter(context, source, fieldTest(context, step, undefined, path));
}

/** What the step `after` leaves. Throws `invalid_query` for what is no time. */
export function spanAfter(context: QueryContext, step: Step<'after'>, path: string): TimeSpan {
  const toMs = parseTime(step.timestamp);
  if (toMs === undefined) {
    throw invalidQuery('The time is not in ISO 8601, nor milliseconds since 1970', {
      path: `${path}.timestamp`,
    });
  }
  for (const uid of step.uids) {
    const beforeId = context.idOfUid(uid);
    if (beforeId !== undefined) return { ...ALWAYS, toMs, beforeId };
  }
  return { ...ALWAYS, toMs };
}

export function after(
  context: QueryContext,
  source: IdPieces,
  step: Step<'after'>,
  path: string,
): IdPieces {
  const span = spanAfter(context, step, path);
  return filter(context, source, (id) => isWithinTime(context, id, span));
}

/** Both ends are included. */
export function whereTime(
  context: QueryContext,
  source: IdPieces,
  step: Step<'whereTime'>,
  path: string,
): IdPieces {
  const span = timeOf(step, path);
  return filter(context, source, (id) => isWithinTime(context, id, span));
}

/** Throws `invalid_query` for what is no time. */
export function timeOf({ from, to }: Step<'whereTime'>, path: string): TimeSpan {
  const fromMs = from === undefined ? -Infinity : parseTime(from);
  const toMs = to === undefined ? Infinity : parseTime(to);
  if (fromMs === undefined || toMs === undefined) {
    throw invalidQuery('The time is not in ISO 8601, nor milliseconds since 1970', { path });
  }
  return { fromMs, toMs };
}

/** The nodes that have an edge to the given node, or from it. */
export function isRelatedTo(
  context: QueryContext,
  source: IdPieces,
  step: Step<'isRelatedTo'>,
  path: string,
): IdPieces {
  const edge = step.edge === undefined ? ANY_EDGE : context.edgeType(step.edge, `${path}.edge`).id;
  const related = new Set<number>();
  const id = context.idOfUid(step.uid);
  if (id !== undefined) {
    for (const direction of ['out', 'in'] as const) {
      const neighbors = context.neighbors(id, direction, edge);
      for (let i = 0; i < neighbors.length; i++) related.add(neighbors.at(i));
    }
  }
  return filter(context, source, (candidate) => related.has(candidate));
}
