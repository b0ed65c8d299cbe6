/**
 * BM25F as in Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009,
 * section 3.6.
 */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;
/**
 * Added to the length of a field and to its average, in tokens, so that short fields do not
 * outweigh others: a name of one word is hardly better than one of two.
 */
const LENGTH_SMOOTHING = 4;

/** Inverse document frequency, above 0 also for a term of every document. */
export function inverseDocumentFrequency(documentCount: number, withTerm: number): number {
  return Math.log(1 + (documentCount - withTerm + 0.5) / (withTerm + 0.5));
}

/** The weight of one occurrence in a field, by the code of the field's length. */
export function occurrenceWeights(boost: number, averageLength: number): Float64Array {
  const average = averageLength + LENGTH_SMOOTHING;
  return DECODED_LENGTHS.map((length) => {
    const relative = (length + LENGTH_SMOOTHING) / average;
    return boost / (1 - LENGTH_SHARE + LENGTH_SHARE * relative);
  });
}

/** The share of its ceiling that a term scores when its occurrences weigh `weight`. */
export function saturated(weight: number): number {
  return weight / (weight + SATURATION);
}

/** The limit of a term's score as its occurrences increase. */
export function termCeiling(idf: number, termWeight: number): number {
  return idf * (SATURATION + 1) * termWeight;
}

/** Scores are whole multiples of this and far below 2^16, so that sums are exact in any order. */
const SCORE_UNIT = 2 ** -36;
/** Between 2^16 and 2^17 floats are one SCORE_UNIT apart: adding this and taking it away rounds. */
const ROUNDER = 1.5 * 2 ** 52 * SCORE_UNIT;

/** The score of a term in a document: `share` of the ceiling. */
export function scoreOf(ceiling: number, share: number): number {
  return ceiling * share + ROUNDER - ROUNDER;
}

/** Lengths below this are kept exactly. */
const EXACT = 24;

/**
 * Lengths that differ by less than an eighth share a code: one byte holds up to 2^31 tokens. The
 * scheme is Lucene's.
 */
export function encodeLength(tokenCount: number): number {
  if (tokenCount < EXACT) return tokenCount;
  const rest = Math.min(tokenCount, 0x7fff_ffff) - EXACT;
  const bits = 32 - Math.clz32(rest);
  if (bits < 4) return EXACT + rest;
  const shift = bits - 4;
  return EXACT + (((rest >>> shift) & 7) | ((shift + 1) << 3));
}

/** The shortest length of each code: integers, so that sums are exact in any order. */
export const DECODED_LENGTHS: Float64Array = Float64Array.from({ length: 256 }, (_, code) => {
  if (code < EXACT) return code;
  const bits = (code - EXACT) & 7;
  const shift = ((code - EXACT) >>> 3) - 1;
  return EXACT + (shift === -1 ? bits : (bits | 8) * 2 ** shift);
});
