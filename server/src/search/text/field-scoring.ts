import type { Segment } from './segment.ts';

export interface FieldStatistics {
  readonly boost: number;
  readonly averageLength: number;
  /** What an occurrence weighs, by the code of the field's length. */
  readonly weights: Float64Array;
}

/**
 * What the documents of one segment are scored by in a search: what an occurrence weighs in each field, by the
 * averages of the whole view.
 */
export interface FieldScoring {
  readonly segment: Segment;
  /** Field of the segment -> weight of an occurrence by the code of the field's length. */
  readonly weights: readonly Float64Array[];
  /** Weights are at most this times those the segment's block bounds were made with. */
  readonly boundFactor: number;
}

/** `statistics` takes the id of a field. */
export function fieldScoring(
  segment: Segment,
  statistics: (field: number) => FieldStatistics,
): FieldScoring {
  const { ids, boosts, documentCounts, lengthSums } = segment.documents.fields;
  let boundFactor = 1;
  const weights = Array.from(ids, (id, field) => {
    const { averageLength, boost, weights: ofField } = statistics(id);
    const longer = averageLength / (lengthSums[field]! / documentCounts[field]!);
    boundFactor = Math.max(boundFactor, (boost / boosts[field]!) * Math.max(1, longer));
    return ofField;
  });
  return { segment, weights, boundFactor };
}
