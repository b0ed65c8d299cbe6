import type { DuplicateEvidence } from '@trellis/contract/shapes/duplicate.ts';
import {
  DUPLICATE_TEXT_CHARACTERS_MIN,
  DUPLICATE_WORDS_MAX,
  DUPLICATE_WORD_CHARACTERS_MAX,
} from '#base/duplicate-limits.ts';
import { editDistance } from '#base/edit-distance.ts';

/** A node as it is compared: all texts are normalised. */
export interface Profile {
  readonly id: number;
  /** Words of its name. */
  readonly name: readonly string[];
  /** By field: the whole text. */
  readonly fields: ReadonlyMap<string, string>;
  /** Nodes that few others are connected to. */
  readonly neighbors: ReadonlySet<number>;
}

export interface Comparison {
  /** From 0 to 1. */
  readonly score: number;
  readonly why: readonly DuplicateEvidence[];
}

/** How sure two nodes are one thing when this alone is equal. */
const SURE = { name: 0.95, field: 0.85, text: 0.7, neighbors: 0.5, vectors: 0.6 } as const;
/** Less similar than this says nothing. */
const SIMILAR_MIN = { name: 0.5, text: 0.5 } as const;
/** Cosine of vectors from which on they say that nodes are alike, and not only of one subject. */
export const NEAR_COSINE_MIN = 0.9;
/** Of a name that is too different, this much of all other evidence is left. */
const OTHER_NAME = 0.6;
/** And for each field in which both have another value. */
const OTHER_FIELD = 0.93;
/** Nodes that share a value are likely one thing while they are so few. */
const FEW = 2;
/** Shorter words are equal or not. */
const SPELLED_CHARACTERS = 4;
const SPELLED_ALIKE_MIN = 0.75;
const INITIAL = 0.6;

/**
 * Without marks, case, punctuation and more than one space, so that only spellings differ that
 * people would tell apart: "Müller-Lüdenscheidt, J." is "muller ludenscheidt j".
 */
export function normalise(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

export function wordsOf(text: string): string[] {
  const words = normalise(text).split(' ', DUPLICATE_WORDS_MAX);
  return words
    .filter((word) => word !== '')
    .map((word) => word.slice(0, DUPLICATE_WORD_CHARACTERS_MAX));
}

/** How rare words and values are among the nodes that are compared. */
export class Rarity {
  readonly #total: number;
  readonly #words = new Map<string, number>();
  readonly #values = new Map<string, number>();

  constructor(profiles: readonly Profile[]) {
    this.#total = profiles.length;
    for (const { name, fields } of profiles) {
      for (const word of new Set(name)) count(this.#words, word);
      count(this.#values, nameKey(name));
      for (const [field, value] of fields) count(this.#values, fieldKey(field, value));
    }
  }

  /** The weight of a word: what few names have tells more. */
  word(word: string): number {
    return Math.log(1 + this.#total / (this.#words.get(word) ?? 1));
  }

  /** How many nodes have a value. */
  sharers(key: string): number {
    return this.#values.get(key) ?? 1;
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Equal for names that have the same words in any order. */
export function nameKey(name: readonly string[]): string {
  return `name ${name.toSorted().join(' ')}`;
}

export function fieldKey(field: string, value: string): string {
  return `field ${field} ${value}`;
}

/**
 * How sure two nodes are one thing. Each piece of evidence stands for itself, so one that says
 * little takes nothing away; different names and different values do. Near vectors count with
 * different names too: a thing that is called in another way has them. They alone, and with names
 * as of one series, are not sure enough to merge by.
 *
 * `cosine` is that of their vectors, where these are near.
 */
export function compare(a: Profile, b: Profile, rarity: Rarity, cosine = 0): Comparison {
  const why: DuplicateEvidence[] = [];
  let doubt = 1;
  const take = (evidence: DuplicateEvidence, sure: number): void => {
    why.push({ ...evidence, similarity: rounded(evidence.similarity) });
    doubt *= 1 - sure * evidence.similarity;
  };
  let [against, others] = [1, 1];
  const named = nameSimilarity(a.name, b.name, rarity);
  if (named !== undefined && named >= SIMILAR_MIN.name) {
    const sharers = rarity.sharers(nameKey(a.name));
    // A name that differs in a word says much less than its words do.
    take(
      { kind: 'name', similarity: named ** 3 },
      SURE.name * fewness(named === 1 ? sharers : FEW),
    );
  } else if (named !== undefined) {
    against *= OTHER_NAME;
  }
  for (const [field, value] of a.fields) {
    const other = b.fields.get(field);
    if (other === undefined) continue;
    if (value === other) {
      const sharers = rarity.sharers(fieldKey(field, value));
      take({ kind: 'field', field, similarity: 1 }, SURE.field * fewness(sharers));
    } else if (
      value.length >= DUPLICATE_TEXT_CHARACTERS_MIN &&
      other.length >= DUPLICATE_TEXT_CHARACTERS_MIN
    ) {
      const similarity = overlap(new Set(value.split(' ')), new Set(other.split(' ')));
      if (similarity >= SIMILAR_MIN.text) take({ kind: 'text', field, similarity }, SURE.text);
    } else {
      against *= OTHER_FIELD;
      others *= OTHER_FIELD;
    }
  }
  const shared = overlap(a.neighbors, b.neighbors);
  if (shared > 0) take({ kind: 'neighbors', similarity: shared }, SURE.neighbors);
  if (cosine < NEAR_COSINE_MIN) return { score: rounded((1 - doubt) * against), why };
  const near = Math.min(1, cosine);
  take({ kind: 'vectors', similarity: near }, SURE.vectors);
  return { score: rounded(Math.max((1 - doubt) * against, SURE.vectors * near * others)), why };
}

/** 1 for what two nodes share, and less the more share it. */
function fewness(sharers: number): number {
  return Math.min(1, FEW / sharers) ** 0.5;
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/** Jaccard's index. */
function overlap<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): number {
  const shared = a.intersection(b).size;
  return shared === 0 ? 0 : shared / (a.size + b.size - shared);
}

/**
 * Soft TF-IDF (Cohen, Ravikumar and Fienberg, 2003) as a share: words that are equal, or spelled
 * alike, count by their weights against all words of both. Undefined when one has no name.
 */
export function nameSimilarity(
  a: readonly string[],
  b: readonly string[],
  rarity: Rarity,
): number | undefined {
  if (a.length === 0 || b.length === 0) return undefined;
  const left = [...b];
  let shared = 0;
  let all = 0;
  for (const word of a) {
    let [best, at] = [0, -1];
    for (let i = 0; i < left.length; i++) {
      const similarity = wordSimilarity(word, left[i]!);
      if (similarity > best) [best, at] = [similarity, i];
      if (best === 1) break;
    }
    const weight = rarity.word(word);
    if (at < 0) {
      all += weight;
      continue;
    }
    const [other] = left.splice(at, 1);
    const both = (weight + rarity.word(other!)) / 2;
    shared += best * both;
    all += both;
  }
  for (const word of left) all += rarity.word(word);
  return shared / all;
}

function wordSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const shortest = Math.min(a.length, b.length);
  if (shortest === 1) return a[0] === b[0] ? INITIAL : 0;
  if (shortest < SPELLED_CHARACTERS) return 0;
  const longest = Math.max(a.length, b.length);
  // Digits are no spelling: "2023" and "2024" are two years.
  if ((longest - shortest) / longest > 1 - SPELLED_ALIKE_MIN || /\d/.test(a + b)) return 0;
  const similarity = 1 - editDistance(a, b) / longest;
  return similarity >= SPELLED_ALIKE_MIN ? similarity : 0;
}
