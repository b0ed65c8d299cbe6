import { DUPLICATE_PAIRS_MAX, DUPLICATES_OPEN_MAX } from '@trellis/contract/limits.ts';
import { compare, type Comparison, fieldKey, nameKey, type Profile, Rarity } from './comparison.ts';

/** Two nodes by their ids, the lower one first. */
export interface Candidate extends Comparison {
  readonly a: number;
  readonly b: number;
}

export interface CandidateSearch {
  readonly profiles: readonly Profile[];
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

/** What more nodes than this share does not bring them together. */
const BLOCK_NODES_MAX = 50;
/** The same of a word of a name, which tells less. */
const WORD_BLOCK_NODES_MAX = 30;

/**
 * Blocking, and a comparison of each pair in a block: nodes are compared when they share a name in
 * any order of its words, a name without its vowels, a rare word of a name, the value of a field,
 * or a neighbour.
 */
export async function findCandidates({
  profiles,
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
      else if (block.length <= BLOCK_NODES_MAX) block.push(i);
    }
    await rest(i / 2);
  }
  let found: Candidate[] = [];
  let [pairs, isCut] = [0, false];
  for (const [i, profile] of profiles.entries()) {
    for (const j of partnersOf(i, profile, blocks)) {
      if (pairs === DUPLICATE_PAIRS_MAX) return { candidates: surest(found), pairs, isCut: true };
      pairs++;
      const other = profiles[j]!;
      const compared = compare(profile, other, rarity);
      if (compared.score < minScore || compared.why.length === 0) continue;
      const [a, b] = [Math.min(profile.id, other.id), Math.max(profile.id, other.id)];
      found.push({ a, b, ...compared });
    }
    if (found.length > 2 * DUPLICATES_OPEN_MAX) {
      found = surest(found);
      isCut = true;
    }
    await rest((profiles.length + i) / 2);
  }
  return { candidates: surest(found), pairs, isCut: isCut || found.length > DUPLICATES_OPEN_MAX };
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
    const max = key.startsWith('word ') ? WORD_BLOCK_NODES_MAX : BLOCK_NODES_MAX;
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
  for (const [field, value] of fields) yield fieldKey(field, value);
  for (const neighbor of neighbors) yield `neighbor ${neighbor}`;
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
