import { SIMILAR_NODES_DEFAULT, SIMILAR_SOURCES_MAX } from '#base/search-limits.ts';
import type { IdList } from '../id-list.ts';
import type { QueryStep, Similarity } from './plan.ts';
import { collectAll, invalidQuery } from './query-context.ts';
import type { IdPieces, QueryContext, SimilarTo } from './query-context.ts';

type Step<Op extends QueryStep['op']> = Extract<QueryStep, { op: Op }>;

export function startAtVectors(
  context: QueryContext,
  step: Step<'startAtVectors'>,
  path: string,
): IdPieces {
  checkNames(context, step, path);
  return nearest(context, step, () => ({ vectors: step.vectors }));
}

export function startAtSimilar(
  context: QueryContext,
  step: Step<'startAtSimilar'>,
  path: string,
): IdPieces {
  checkNames(context, step, path);
  const ids = new Set(step.uids.flatMap((uid) => context.idOfUid(uid) ?? []));
  checkSources(ids.size, path);
  return nearest(context, step, () => ({ ids: [...ids] }));
}

export function similar(
  context: QueryContext,
  source: IdPieces,
  step: Step<'similar'>,
  path: string,
): IdPieces {
  checkNames(context, step, path);
  return nearest(context, step, () => {
    const ids = collectAll(context, source);
    checkSources(ids.length, path);
    return { ids: ids.toArray() };
  });
}

function* nearest(
  context: QueryContext,
  { count = SIMILAR_NODES_DEFAULT, types, fields, similarityMin }: Similarity,
  sources: () => SimilarTo,
): IdPieces & Generator<IdList> {
  yield context.findSimilar({
    ...sources(),
    count,
    ...(types === undefined ? {} : { types }),
    ...(fields === undefined ? {} : { fields }),
    ...(similarityMin === undefined ? {} : { similarityMin }),
  });
}

function checkNames(context: QueryContext, { types, fields }: Similarity, path: string): void {
  types?.forEach((name, i) => context.nodeType(name, `${path}.types[${i}]`));
  fields?.forEach((name, i) => context.fieldTags(name, undefined, `${path}.fields[${i}]`));
}

/** More of them would be compared with everything than one query may cost. */
function checkSources(count: number, path: string): void {
  if (count <= SIMILAR_SOURCES_MAX) return;
  throw invalidQuery(`Nodes can be similar to at most ${SIMILAR_SOURCES_MAX} nodes at once`, {
    path,
    hint: 'Narrow the set before, with take() for example.',
  });
}
