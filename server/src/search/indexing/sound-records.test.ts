import { expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import { SEARCH_DAMAGE_NOTES_MAX } from '#base/search-limits.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { SoundRecords } from './index-follower.ts';

function readerThat(throws: Error): StateReader {
  const reader: Partial<StateReader> = {
    record: () => {
      throws.message += '.';
      throw throws;
    },
  };
  return reader as StateReader;
}

it.each([SEARCH_DAMAGE_NOTES_MAX - 1, SEARCH_DAMAGE_NOTES_MAX, SEARCH_DAMAGE_NOTES_MAX + 1])(
  'takes %i damaged nodes for none, and names so many as the log has room for',
  (count) => {
    const notes: string[] = [];
    const records = new SoundRecords(
      readerThat(new Problem('storage_corrupt', 'what is stored is not what was written')),
      (text) => void notes.push(text),
    );
    for (let id = 0; id < count; id++) expect(records.read(id)).toBeUndefined();
    expect(notes).toHaveLength(Math.min(count, SEARCH_DAMAGE_NOTES_MAX));
    const areMore = count >= SEARCH_DAMAGE_NOTES_MAX;
    expect(notes.at(-1)?.endsWith('further ones are not told')).toBe(areMore);
  },
);

it('throws on what is no damage', () => {
  const records = new SoundRecords(readerThat(new Problem('storage_failed', 'no disk')), undefined);
  expect(() => records.read(1)).toThrow('no disk');
});
