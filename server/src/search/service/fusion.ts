import { SEARCH_RANK_OFFSET, SEARCH_VECTOR_CANDIDATES } from '#base/search-limits.ts';
import type { TextHit } from '../text/text-search.ts';
import type { FoundHit } from './text-run.ts';
import type { VectorCandidate } from './vector-candidates.ts';

/** A node found by words, by vectors, or both. */
export interface Entry {
  readonly hit: TextHit;
  readonly words?: FoundHit | undefined;
  readonly nearest?: VectorCandidate | undefined;
}

export interface RankedHit extends Entry {
  readonly score: number;
  /** The part of each side in the score; undefined if only words were searched. */
  readonly sides?: Sides;
}

interface Sides {
  readonly text?: SideScore;
  readonly vector?: SideScore;
}

/** The same shape as that of `@trellis/endpoint`. */
export interface SideScore {
  readonly score: number;
  /** `weighted`: the score of the best text, without decay. */
  readonly best?: number;
  /** `rrf`: the rank, from 1; absent if the text ranks too low to count. */
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
  /** Ranks, from 1, of nodes found by words. */
  readonly textRanks: ReadonlyMap<number, number>;
  readonly decay: (timestampMs: number) => number;
}

interface Ranked {
  readonly hit: RankedHit;
  /** Keeps the order of the text where words add nothing, or next to nothing, to the score. */
  readonly textOrder: number;
}

/**
 * Adds the word score, as a share of the best, and the cosine, both with decay. Best first; hits by
 * words alone stay in the order of the text.
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
 * Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009) of the ranks on both sides, each in
 * its order with decay. The text rank of a node with a vector counts only up to the number of
 * vectors, so that it is the same on every page.
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

/** Sorts by time; all scores are 0. */
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
