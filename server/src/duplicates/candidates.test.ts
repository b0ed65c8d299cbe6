import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DUPLICATES_OPEN_MAX } from '@trellis/contract/limits.ts';
import {
  DUPLICATE_BLOCK_NODES_MAX,
  DUPLICATE_NEAR_NODES_MAX,
  DUPLICATE_WORD_BLOCK_NODES_MAX,
} from '#base/duplicate-limits.ts';
import { type Candidate, findCandidates } from './candidates.ts';
import { compare, normalise, type Profile, Rarity, wordsOf } from './comparison.ts';

interface Maintainer {
  readonly name: string;
  /** Digest of the address. */
  readonly address: string;
}

/** See the file: a public set in which the same address says that two names are one maintainer. */
const MAINTAINERS: readonly Maintainer[] = readFileSync(
  join(import.meta.dirname, 'testing/debian-maintainers.tsv'),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [name = '', address = ''] = line.split('\t');
    return { name, address };
  });

function profile(id: number, name: string, fields: Record<string, string> = {}): Profile {
  const values = Object.entries(fields).map(([field, value]) => [field, normalise(value)] as const);
  return { id, name: wordsOf(name), fields: new Map(values), neighbors: new Set() };
}

async function search(profiles: readonly Profile[], minScore = 0.3) {
  return findCandidates({ profiles, minScore, rest: async () => {} });
}

/** Precision and recall from a score on; a label that is undefined leaves a pair out. */
function quality(
  candidates: readonly Candidate[],
  minScore: number,
  positives: number,
  isSame: (pair: Candidate) => boolean | undefined,
) {
  const labels = candidates.filter(({ score }) => score >= minScore).map(isSame);
  const right = labels.filter((label) => label === true).length;
  const wrong = labels.filter((label) => label === false).length;
  return { precision: right / (right + wrong), recall: right / positives, right, wrong };
}

describe('on the maintainers of Debian 12', () => {
  const sameAddress = [...Map.groupBy(MAINTAINERS, ({ address }) => address).values()]
    .map(({ length }) => (length * (length - 1)) / 2)
    .reduce((sum, pairs) => sum + pairs, 0);

  it('a rule that merges from 0.9 on by names alone has a precision of 0.95', async () => {
    const profiles = MAINTAINERS.map(({ name }, id) => profile(id, name));
    const { candidates } = await search(profiles);
    const measured = quality(candidates, 0.9, sameAddress, ({ a, b }) => {
      const [one, other] = [MAINTAINERS[a]!, MAINTAINERS[b]!];
      if (one.address === other.address) return true;
      // People have several addresses: the index does not say whether one name is one person.
      return normalise(one.name) === normalise(other.name) ? undefined : false;
    });
    expect(sameAddress).toBe(171);
    expect(measured.precision).toBeGreaterThanOrEqual(0.95);
    // Most names that share an address are other names, such as those of two teams.
    expect(measured.recall).toBeGreaterThanOrEqual(0.13);
  });

  it('finds names that were written in another way, and no others', async () => {
    const names = [...new Set(MAINTAINERS.map(({ name }) => name))].filter(
      (name) => wordsOf(name).length > 1,
    );
    const written = names.flatMap((name, i) => (i % 2 === 0 ? [misspelled(name, i / 2)] : []));
    const known = new Map(names.map((_name, i) => [i, i]));
    const profiles = [
      ...names.map((name, i) => profile(i, name, { Address: `${i}@example.com` })),
      ...written.map((name, i) => {
        known.set(names.length + i, 2 * i);
        // Every other one has its address still.
        const address = i % 2 === 0 ? `${2 * i}@example.com` : `${i}@example.org`;
        return profile(names.length + i, name, { Address: address });
      }),
    ];
    const { candidates } = await search(profiles);
    const isSame = ({ a, b }: Candidate): boolean =>
      known.get(a) === known.get(b) || normalise(names[a] ?? '') === normalise(names[b] ?? '-');
    const merging = quality(candidates, 0.9, written.length, isSame);
    expect(merging.precision).toBeGreaterThanOrEqual(0.95);
    expect(merging.recall).toBeGreaterThanOrEqual(0.49);
    const shown = quality(candidates, 0.5, written.length, isSame);
    expect(shown.recall).toBeGreaterThanOrEqual(0.96);
  });
});

/** A name as somebody else may write it; in a way that `way` chooses. */
function misspelled(name: string, way: number): string {
  const words = name.split(/\s+/);
  const long = words.findIndex((word) => word.length > 4);
  const typo = (change: (word: string) => string): string =>
    long < 0 ? name.toUpperCase() : words.with(long, change(words[long]!)).join(' ');
  switch (way % 5) {
    case 0:
      return typo((word) => word.slice(0, 2) + word.slice(3));
    case 1:
      return typo((word) => `${word.slice(0, 3)}${word[2]!}${word.slice(3)}`);
    case 2:
      return [...words.slice(1), words[0]].join(' ');
    case 3:
      return `${words[0]!.slice(0, 1)}. ${words.slice(1).join(' ')}`;
    default:
      return words.slice(0, -1).concat(words.at(-1)!.toUpperCase()).join(', ');
  }
}

describe('a comparison', () => {
  const ann = profile(1, 'Ann Lee', { Mail: 'ann@example.com' });
  const all = [ann, profile(2, 'Lee, Ann', { Mail: 'ANN@example.com' }), profile(3, 'Bo Ek')];
  const rarity = new Rarity(all);

  it('says why', () => {
    expect(compare(ann, all[1]!, rarity)).toEqual({
      score: 0.992,
      why: [
        { kind: 'name', similarity: 1 },
        { kind: 'field', field: 'Mail', similarity: 1 },
      ],
    });
    expect(compare(ann, all[2]!, rarity)).toEqual({ score: 0, why: [] });
  });

  it('is the same in both directions, and never beyond 1', () => {
    for (const a of all) {
      for (const b of all) {
        const { score } = compare(a, b, rarity);
        expect(score).toBe(compare(b, a, rarity).score);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
      }
    }
  });

  it('tells less the more nodes share a name, and less where other values differ', () => {
    const many = Array.from({ length: 20 }, (_, i) => profile(i, 'John Smith'));
    const of = (profiles: readonly Profile[]): number =>
      compare(profiles[0]!, profiles[1]!, new Rarity(profiles)).score;
    expect(of(many)).toBeLessThan(of(many.slice(0, 2)));
    const differing = many
      .slice(0, 2)
      .map(({ id }) => profile(id, 'John Smith', { City: `${id}00` }));
    expect(of(differing)).toBeLessThan(of(many.slice(0, 2)));
  });

  it('takes numbers as they are', () => {
    const [one, other] = [profile(1, 'Budget 2023'), profile(2, 'Budget 2024')];
    expect(compare(one, other, new Rarity([one, other])).score).toBeLessThan(0.5);
  });
});

it('keeps so many pairs, and says that there were more', async () => {
  const count = Math.ceil(DUPLICATES_OPEN_MAX / 2) * 2;
  const profiles = Array.from({ length: count * 2 + 4 }, (_, i) => profile(i, `Name${i >> 1} Of`));
  const { candidates, isCut } = await search(profiles);
  expect([candidates.length, isCut]).toEqual([DUPLICATES_OPEN_MAX, true]);
  const few = await search(profiles.slice(0, 2 * DUPLICATES_OPEN_MAX));
  expect([few.candidates.length, few.isCut]).toEqual([DUPLICATES_OPEN_MAX, false]);
});

it('does not compare each of very many that share a value', async () => {
  const profiles = Array.from({ length: 2_000 }, (_, i) =>
    profile(i, `Person${i * 7919} Number${i}`, { City: 'Rome' }),
  );
  expect((await search(profiles)).pairs).toBeLessThan(100);
});

it.each([
  { shared: 'a value', max: DUPLICATE_BLOCK_NODES_MAX, fields: { City: 'Rome' }, first: '' },
  { shared: 'a word', max: DUPLICATE_WORD_BLOCK_NODES_MAX, fields: {}, first: 'Ann ' },
])('compares up to $max nodes that share $shared, and not one more', async (given) => {
  const { max, fields, first } = given;
  // No two of these sound alike.
  const letters = [...'bcdfghjk'];
  const names = letters.flatMap((a) => letters.filter((b) => b !== a).map((b) => `x${a}${b}`));
  const pairsOf = async (count: number): Promise<number> => {
    const profiles = Array.from({ length: count }, (_, i) => {
      return profile(i, `${first}${names[i]!}`, fields);
    });
    return (await search(profiles)).pairs;
  };
  expect([await pairsOf(max), await pairsOf(max + 1)]).toEqual([(max * (max - 1)) / 2, 0]);
});

it('looks for near vectors of so many nodes, the newest, and of no more', async () => {
  const profiles = Array.from({ length: DUPLICATE_NEAR_NODES_MAX + 1 }, (_, i) =>
    profile(i, `Name${i}`),
  );
  const asked = new Set<number>();
  const near = async (id: number) => {
    asked.add(id);
    return [];
  };
  await findCandidates({ profiles, near, minScore: 0.3, rest: async () => {} });
  expect(asked.size).toBe(DUPLICATE_NEAR_NODES_MAX);
  expect(asked.has(DUPLICATE_NEAR_NODES_MAX)).toBe(false);
});

it('compares nodes that have most of a long text in common, and no others by it', async () => {
  const text =
    'The ship left the harbour of Bergen at dawn with forty men and a cargo of dried cod';
  const other =
    'A quite different story is told of the castle on the hill and the people who built it';
  const profiles = [
    profile(0, 'Alpha', { Story: text }),
    profile(1, 'Beta', { Story: text.replace('forty', 'fifty').replace('dawn', 'noon') }),
    profile(2, 'Gamma', { Story: other }),
  ];
  const { candidates, pairs } = await search(profiles);
  expect(pairs).toBe(1);
  expect(candidates).toMatchObject([{ a: 0, b: 1, why: [{ kind: 'text', field: 'Story' }] }]);
});

it('compares nodes whose vectors are near, once for both, and no others by them', async () => {
  const profiles = ['Alpha', 'Beta', 'Gamma', 'Delta'].map((name, id) => profile(id, name));
  const cosines: Readonly<Record<string, number>> = { '0 1': 0.95, '0 2': 0.8, '2 3': 0.9 };
  const near = async (id: number) =>
    profiles.flatMap((other) => {
      const cosine = cosines[[id, other.id].toSorted().join(' ')];
      return cosine === undefined ? [] : [{ id: other.id, cosine }];
    });
  const unknown = async (id: number) => [...(await near(id)), { id: 99, cosine: 1 }];
  const { candidates, pairs } = await findCandidates({
    profiles,
    near: unknown,
    minScore: 0.3,
    rest: async () => {},
  });
  expect(pairs).toBe(2);
  expect(candidates).toEqual([
    { a: 0, b: 1, score: 0.57, why: [{ kind: 'vectors', similarity: 0.95 }] },
    { a: 2, b: 3, score: 0.54, why: [{ kind: 'vectors', similarity: 0.9 }] },
  ]);
});

it('is never surer by vectors alone than people should decide', () => {
  const profiles = [
    profile(0, 'Report 2023'),
    profile(1, 'Report 2024'),
    profile(2, 'Report 2023'),
  ];
  const rarity = new Rarity(profiles);
  const [one, other, same] = profiles;
  expect(compare(one!, other!, rarity, 1).score).toBeLessThan(0.9);
  expect(compare(one!, same!, rarity, 1).score).toBeGreaterThan(0.9);
  for (const cosine of [-1, 0, 0.89]) {
    expect(compare(one!, other!, rarity, cosine)).toEqual(compare(one!, other!, rarity));
  }
});
