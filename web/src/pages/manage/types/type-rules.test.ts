import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  changesBetween,
  type Principals,
  readersOf,
  type TypeRules,
  withChanges,
  withReaders,
  withVisibility,
  withWriters,
} from './type-rules.ts';

const TYPES = ['Contract', 'Note'] as const;
const FIELDS = ['Price', 'Title'] as const;

const uids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'));
const principals: fc.Arbitrary<Principals> = fc.record({ teams: uids, users: uids });
const readers = fc.option(principals, { nil: undefined });
/** Rules as the page makes them: one edit after the other. */
const rules: fc.Arbitrary<TypeRules> = fc
  .array(
    fc.oneof(
      fc.record({
        type: fc.constantFrom(...TYPES),
        visibleTo: fc.constantFrom('everyone', 'restricted'),
      }),
      fc.record({ type: fc.constantFrom(...TYPES), field: fc.constantFrom(...FIELDS), readers }),
      fc.record({ type: fc.constantFrom(...TYPES), writers: principals }),
    ),
  )
  .map((edits) =>
    edits.reduce<TypeRules>(
      (last, edit) =>
        'writers' in edit
          ? withWriters(last, edit.type, edit.writers)
          : 'visibleTo' in edit
            ? withVisibility(last, edit.type, edit.visibleTo)
            : withReaders(last, edit.type, edit.field, edit.readers),
      {},
    ),
  );

describe('the rules of types', () => {
  test('what changed, done again upon the same rules, gives the rules after', () => {
    fc.assert(
      fc.property(rules, rules, (before, after) => {
        const done = withChanges(before, changesBetween(before, after));
        expect(changesBetween(done, after)).toEqual([]);
      }),
    );
  });

  test('upon the rules of somebody else, what they changed elsewhere stays', () => {
    fc.assert(
      fc.property(rules, rules, rules, (base, mine, theirs) => {
        const changes = changesBetween(base, mine);
        const merged = withChanges(theirs, changes);
        const own = new Set(changes.map(placeOf));
        for (const change of changesBetween(base, theirs)) {
          if (own.has(placeOf(change))) continue;
          expect(changesBetween(theirs, merged).map(placeOf)).not.toContain(placeOf(change));
        }
        expect(changesBetween(merged, withChanges(merged, changes))).toEqual([]);
      }),
    );
  });

  test('the order of readers is no change, and what says nothing is left out', () => {
    const some = { Note: { fields: { Title: { teams: ['a', 'b'] } } } };
    const same = { Note: { fields: { Title: { teams: ['b', 'a'], users: [] } } } };
    expect(changesBetween(some, same)).toEqual([]);
    expect(changesBetween({}, { Note: { visibleTo: 'everyone', fields: {} } })).toEqual([]);
    expect(withReaders(some, 'Note', 'Title', undefined)).toEqual({});
    expect(readersOf(some, 'Note', 'Title')).toEqual({ teams: ['a', 'b'], users: [] });
  });
});

function placeOf(change: ReturnType<typeof changesBetween>[number]): string {
  return `${change.type} ${change.kind === 'field' ? change.field : change.kind}`;
}
