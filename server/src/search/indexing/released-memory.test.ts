import { expect, test } from 'vitest';
import { ReleasedMemory } from './search-snapshot.ts';
import { TombstoneSet } from '../text/tombstones.ts';
import { TextSegment } from '../text/segment.ts';
import { SegmentBuilder } from '../text/segment-builder.ts';

const { documents } = new TextSegment(new SegmentBuilder().finish());

function part(id: number, bytes: number, isInFile = false) {
  const memory = new SharedArrayBuffer(bytes);
  return { id, memory, isInFile, tombstones: new TombstoneSet(documents).publish() };
}

test('garbage is to be collected when views have let go of enough memory, also of what is in files now', () => {
  const released = new ReleasedMemory(100);
  const large = part(1, 80);
  expect(released.replace({ parts: [large, part(2, 50)] })).toBe(0);
  expect(released.replace({ parts: [large, part(3, 500)] })).toBe(0);
  expect(released.replace({ parts: [part(1, 10, true), part(3, 500)] })).toBe(1);
  expect(released.replace({ parts: [part(1, 10, true), part(3, 500)] })).toBe(1);
  expect(released.replace({ parts: [] })).toBe(2);
});
