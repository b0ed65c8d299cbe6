import { SEARCH_RANK_OFFSET, SEARCH_VECTOR_CANDIDATES } from '#base/search-limits.ts';
import type { TextHit } from '../text/text-search.ts';
import type { FoundHit } from './text-run.ts';
import type { VectorCandidate } from './vector-candidates.ts';

/** A node that a search for words or by vectors has found, or both. */
export interface Entry {
  readonly hit: TextHit;
  readonly words?: FoundHit | undefined;
  readonly nearest?: VectorCandidate | undefined;
}

export interface RankedHit extends Entry {
  readonly score: number;
  /** What each side gives to the score, which is the sum; undefined where only words were looked for. */
  readonly sides?: Sides;
}

interface Sides {
  readonly text?: SideScore;
  readonly vector?: SideScore;
}

/** The same shape as that of `@trellis/endpoint`. */
export interface SideScore {
  readonly score: number;
  /** Where a text's score is weighted: the score of the best text, without decay. */
  readonly best?: number;
  /** Where ranks count: from 1 on. Absent of a text that ranks too low to count. */
  readonly rank?: number;
}

export interface WeightedFusion {
  /** Weight of the words, 0 to 1; the vectors have the rest. */
  readonly weight: number;
  /** The score of the best text, without decay; 0 when there is none. */
  readonly bestText: number;
  readonly decay: (timestampMs: number) => number;
}

export interface RankFusion {
  readonly weight: number;
  /** From 1 on, of each node that has been found for its words. */
  readonly textRanks: ReadonlyMap<number, number>;
  readonly decay: (timestampMs: number) => number;
}

interface Ranked {
  readonly hit: RankedHit;
  /** Where words count for nothing, or for so little that it is all the same, they still have their order. */
  readonly textOrder: number;
}

/**
 * Adds up scores: those of words as a share of the best, and cosines, which decay likewise. The best first; what only words have
 * found is in the order of the text.
 */
export function fuseScores(
  entries: readonly Entry[],
  { weight, bestText, decay }: WeightedFusion,
): RankedHit[] {
  return inOrder(
    entries.map((entry) => {
      const { hit, words, nearest } = entry;
      const text = words && {
        score: bestText === 0 ? 0 : weight * (words.hit.score / bestText),
        best: bestText,
      };
      const vector = nearest && {
        score: (1 - weight) * nearest.similarity * decay(hit.timestampMs),
      };
      return { hit: rankedHit(entry, text, vector), textOrder: words?.hit.score ?? 0 };
    }),
  );
}

/**
 * Adds up what the ranks on both sides are worth, when each side is in its order with decay (reciprocal rank fusion: Cormack,
 * Clarke and Büttcher, 2009). Of a node that has a vector as well, the rank of the text counts up to as many as there may be
 * vectors: then it is the same on every page.
 */
export function fuseRanks(
  entries: readonly Entry[],
  { weight, textRanks, decay }: RankFusion,
): RankedHit[] {
  const vectorRanks = new Map(
    entries
      .flatMap(({ hit, nearest }) =>
        nearest ? [{ node: hit.node, score: nearest.similarity * decay(hit.timestampMs) }] : [],
      )
      .toSorted((a, b) => b.score - a.score || a.node - b.node)
      .map(({ node }, i) => [node, i + 1]),
  );
  return inOrder(
    entries.map((entry) => {
      const { node } = entry.hit;
      const known = textRanks.get(node);
      const isNear = entry.nearest !== undefined;
      const textRank = isNear && (known ?? Infinity) > SEARCH_VECTOR_CANDIDATES ? undefined : known;
      const text = entry.words && sideOfRank(weight, textRank);
      const vector = entry.nearest && sideOfRank(1 - weight, vectorRanks.get(node));
      return { hit: rankedHit(entry, text, vector), textOrder: -(textRank ?? Infinity) };
    }),
  );
}

/** Nothing is scored. */
export function orderByTime(entries: readonly Entry[], sort: 'recent' | 'oldest'): RankedHit[] {
  const sign = sort === 'recent' ? -1 : 1;
  return entries
    .toSorted(({ hit: a }, { hit: b }) => sign * (a.timestampMs - b.timestampMs) || a.node - b.node)
    .map((entry) => {
      const { words, nearest } = entry;
      return rankedHit(entry, words && { score: 0 }, nearest && { score: 0 });
    });
}

function sideOfRank(weight: number, rank: number | undefined): SideScore {
  return rank === undefined ? { score: 0 } : { score: weight / (SEARCH_RANK_OFFSET + rank), rank };
}

function rankedHit(
  entry: Entry,
  text: SideScore | undefined,
  vector: SideScore | undefined,
): RankedHit {
  return {
    ...entry,
    score: (text?.score ?? 0) + (vector?.score ?? 0),
    sides: { ...(text && { text }), ...(vector && { vector }) },
  };
}

function inOrder(ranked: readonly Ranked[]): RankedHit[] {
  return ranked
    .toSorted(
      ({ hit: a, textOrder: m }, { hit: b, textOrder: n }) =>
        b.score - a.score ||
        (m === n ? 0 : n - m) ||
        (b.nearest?.similarity ?? 0) - (a.nearest?.similarity ?? 0) ||
        a.hit.node - b.hit.node,
    )
    .map(({ hit }) => hit);
}
