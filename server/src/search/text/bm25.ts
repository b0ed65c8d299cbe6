import { DECODED_LENGTHS } from './length-code.ts';

/** BM25F as in Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, section 3.6. */
export const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;
/**
 * Added to both the length of a field and its average, in tokens: a name of one word is hardly better than one of two, while a text of
 * 50 words is better than one of 100. Without it, short fields outweigh all others.
 */
const LENGTH_SMOOTHING = 4;

/** Inverse document frequency, above 0 also for a term of every document. */
export function inverseDocumentFrequency(documentCount: number, withTerm: number): number {
  return Math.log(1 + (documentCount - withTerm + 0.5) / (withTerm + 0.5));
}

/** What one occurrence in a field weighs, by the code of the field's length in the document. */
export function occurrenceWeights(boost: number, averageLength: number): Float64Array {
  const average = averageLength + LENGTH_SMOOTHING;
  return DECODED_LENGTHS.map((length) => {
    const relative = (length + LENGTH_SMOOTHING) / average;
    return boost / (1 - LENGTH_SHARE + LENGTH_SHARE * relative);
  });
}

/** Score of a term whose occurrences weigh `weight` in a document; `ceiling` is what it tends to. */
export function saturated(ceiling: number, weight: number): number {
  return (ceiling * weight) / (weight + SATURATION);
}

export function termCeiling(idf: number, termWeight: number): number {
  return idf * (SATURATION + 1) * termWeight;
}
