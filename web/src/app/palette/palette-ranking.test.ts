import { describe, expect, it } from 'vitest';
import { rankedGroups, rankOf } from './palette-ranking.ts';

const ranked = (labels: readonly string[], text: string) =>
  rankedGroups([{ title: 'All', items: labels.map((label) => ({ label })) }], text, {
    itemsMax: 9,
  }).flatMap(({ items }) => items.map(({ label }) => label));

describe('what fits a text', () => {
  it('comes with the exact name first, then what begins with it, then the rest', () => {
    const labels = ['hot dog', 'bulldog', 'dog show', 'Dog', 'cat'];
    expect(ranked(labels, 'dog')).toEqual(['Dog', 'dog show', 'hot dog', 'bulldog']);
    expect(ranked(labels, '  DÖG ')).toEqual(['Dog', 'dog show', 'hot dog', 'bulldog']);
    expect(ranked(labels, 'show d')).toEqual(['dog show']);
    expect(ranked(labels, 'horse')).toEqual([]);
  });

  it('is found by further words too, after what its name says', () => {
    expect(rankOf({ label: 'Logs', words: 'records audit' }, 'audit')).toBeGreaterThan(
      rankOf({ label: 'Audit' }, 'aud')!,
    );
    expect(rankOf({ label: 'Logs', words: 'records' }, 'log records')).toBeDefined();
    expect(rankOf({ label: 'Logs', words: 'records' }, 'log users')).toBeUndefined();
  });

  it('is all there is where nothing is asked, in its order', () => {
    expect(ranked(['b', 'a'], ' ')).toEqual(['b', 'a']);
  });
});

it('the group with the best fit is the first', () => {
  const groups = [
    { title: 'Pages', items: [{ label: 'Bank accounts' }, { label: 'Other' }] },
    { title: 'Nodes', items: [{ label: 'river bank' }, { label: 'bank' }] },
    { title: 'People', items: [{ label: 'Ada' }] },
  ];
  expect(rankedGroups(groups, 'bank', { itemsMax: 1 })).toEqual([
    { title: 'Nodes', items: [{ label: 'bank' }] },
    { title: 'Pages', items: [{ label: 'Bank accounts' }] },
  ]);
});
