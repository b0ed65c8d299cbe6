import { DUPLICATE_PAIRS_MAX, DUPLICATES_OPEN_MAX } from '@trellis/contract/limits.ts';
import {
  DUPLICATE_BLOCK_NODES_MAX,
  DUPLICATE_NEAR_NODES_MAX,
  DUPLICATE_SKETCH_PAIRS_MAX,
  DUPLICATE_TEXT_CHARACTERS_MIN,
  DUPLICATE_WORD_BLOCK_NODES_MAX,
} from '#base/duplicate-limits.ts';
import {
  compare,
  type Comparison,
  fieldKey,
  nameKey,
  NEAR_COSINE_MIN,
  type Profile,
  Rarity,
} from './comparison.ts';

/** Two nodes by their ids, the lower one first. */
export interface Candidate extends Comparison {
  readonly a: number;
  readonly b: number;
}

/** A node whose vectors are near those of another one. */
export interface NearNode {
  readonly id: number;
  readonly cosine: number;
}

export interface CandidateSearch {
  readonly profiles: readonly Profile[];
  /** The nodes nearest to one by their vectors; without it, vectors bring nothing together. */
  readonly near?: ((id: number) => Promise<readonly NearNode[]>) | undefined;
  readonly minScore: number;
  /** Called between two nodes; when it rejects, the search ends. */
  readonly rest: (done: number) => Promise<void> | undefined;
}

export interface FoundCandidates {
  /** The surest first, and at most `DUPLICATES_OPEN_MAX`. */
  readonly candidates: readonly Candidate[];
  readonly pairs: number;
  /** Whether there was more than what is compared or kept. */
  readonly isCut: boolean;
}

/**
 * Blocking, and a comparison of each pair in a block: nodes are compared when they share a name in
 * any order of its words, a name without its vowels, a rare word of a name, the value of a field,
 * most of a long text, or a neighbour, and when their vectors are near.
 */
export async function findCandidates({
  profiles,
  near,
  minScore,
  rest,
}: CandidateSearch): Promise<FoundCandidates> {
  const rarity = new Rarity(profiles);
  const blocks = new Map<string, number[]>();
  for (const [i, profile] of profiles.entries()) {
    for (const key of blockKeys(profile)) {
      const block = blocks.get(key);
      if (block === undefined) blocks.set(key, [i]);
      // One more than a block may have says that it has too many.
      else if (block.length <= DUPLICATE_BLOCK_NODES_MAX) block.push(i);
    }
    await rest(i / 3);
  }
  const cosines = await nearPairs({ profiles, near, rest });
  let found: Candidate[] = [];
  let [pairs, isCut] = [0, false];
  for (const [i, profile] of profiles.entries()) {
    const nearby = cosines.get(i);
    for (const j of partnersOf(i, profile, blocks).union(new Set(nearby?.keys()))) {
      if (pairs === DUPLICATE_PAIRS_MAX) return { candidates: surest(found), pairs, isCut: true };
      pairs++;
      const other = profiles[j]!;
      const compared = compare(profile, other, rarity, nearby?.get(j));
      if (compared.score < minScore || compared.why.length === 0) continue;
      const [a, b] = [Math.min(profile.id, other.id), Math.max(profile.id, other.id)];
      found.push({ a, b, ...compared });
    }
    if (found.length > 2 * DUPLICATES_OPEN_MAX) {
      found = surest(found);
      isCut = true;
    }
    await rest((2 * profiles.length + i) / 3);
  }
  return { candidates: surest(found), pairs, isCut: isCut || found.length > DUPLICATES_OPEN_MAX };
}

/** By the place of the earlier profile the later ones that are near, with their cosines. */
async function nearPairs({
  profiles,
  near,
  rest,
}: Omit<CandidateSearch, 'minScore'>): Promise<ReadonlyMap<number, ReadonlyMap<number, number>>> {
  const pairs = new Map<number, Map<number, number>>();
  if (near === undefined) return pairs;
  const places = new Map(profiles.map(({ id }, i) => [id, i]));
  for (const [i, { id }] of profiles.slice(0, DUPLICATE_NEAR_NODES_MAX).entries()) {
    for (const { id: other, cosine } of await near(id)) {
      const j = places.get(other);
      if (j === undefined || j === i || cosine < NEAR_COSINE_MIN) continue;
      const [first, second] = [Math.min(i, j), Math.max(i, j)];
      const of = pairs.get(first) ?? new Map<number, number>();
      pairs.set(first, of.set(second, cosine));
    }
    await rest((profiles.length + i) / 3);
  }
  return pairs;
}

function surest(found: readonly Candidate[]): Candidate[] {
  return found
    .toSorted((one, other) => other.score - one.score || one.a - other.a || one.b - other.b)
    .slice(0, DUPLICATES_OPEN_MAX);
}

/** Later ones with which a profile shares a block, each once. */
function partnersOf(
  i: number,
  profile: Profile,
  blocks: ReadonlyMap<string, readonly number[]>,
): Set<number> {
  const partners = new Set<number>();
  for (const key of blockKeys(profile)) {
    const block = blocks.get(key) ?? [];
    const max = key.startsWith('word ')
      ? DUPLICATE_WORD_BLOCK_NODES_MAX
      : DUPLICATE_BLOCK_NODES_MAX;
    if (block.length > max) continue;
    for (const j of block) if (j > i) partners.add(j);
  }
  return partners;
}

function* blockKeys({ name, fields, neighbors }: Profile): Generator<string> {
  if (name.length > 0) {
    yield nameKey(name);
    yield `sounds ${name.map(withoutVowels).toSorted().join(' ')}`;
    for (const word of new Set(name)) if (word.length > 1) yield `word ${word}`;
  }
  for (const [field, value] of fields) {
    yield fieldKey(field, value);
    if (value.length < DUPLICATE_TEXT_CHARACTERS_MIN) continue;
    for (const words of sketchOf(value)) yield `text ${field} ${words}`;
  }
  for (const neighbor of neighbors) yield `neighbor ${neighbor}`;
}

/**
 * The pairs of words of a text that come first in an order that has nothing to do with language.
 * Texts that have most words in common have one of these in common as well (Broder, "On the
 * resemblance and containment of documents", 1997).
 */
function sketchOf(text: string): string[] {
  const words = text.split(' ');
  const pairs = new Set(words.slice(1).map((word, i) => `${words[i]} ${word}`));
  const ordered = [...pairs].map((pair) => ({ pair, order: orderOf(pair) }));
  ordered.sort((a, b) => a.order - b.order);
  return ordered.slice(0, DUPLICATE_SKETCH_PAIRS_MAX).map(({ pair }) => pair);
}

/** FNV-1a. */
function orderOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}

function withoutVowels(word: string): string {
  return (
    word.slice(0, 1) +
    word
      .slice(1)
      .replace(/[aeiouy]/g, '')
      .replace(/(.)\1+/g, '$1')
  );
}
