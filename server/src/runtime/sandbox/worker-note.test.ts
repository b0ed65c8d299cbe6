import { writeSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TRACE_NOTE_BYTES_MAX, TRACE_NOTES_MAX } from '#base/trace-limits.ts';
import { noteWriter, WorkerNote } from './worker-note.ts';

it('has the guest at work, and what each call has read', () => {
  using note = new WorkerNote();
  expect([note.guest(), note.reads()]).toEqual([0, new Map()]);
  const writer = noteWriter(note.descriptor);
  writer.guest(7);
  writer.read(1, { operation: 'get', count: 1 });
  writer.read(2, { query: { startMs: 0, ms: 1 }, payload: '"Ærø 🌊"' });
  writer.read(1, { operation: 'get', count: 2 });
  expect(note.guest()).toBe(7);
  expect(note.reads()).toEqual(
    new Map([
      [1, ['{"operation":"get","count":1}', '{"operation":"get","count":2}']],
      [2, [JSON.stringify({ query: { startMs: 0, ms: 1 }, payload: '"Ærø 🌊"' })]],
    ]),
  );
  writer.guest(0);
  expect(note.guest()).toBe(0);
});

it('keeps the newest, and so many bytes of each', () => {
  using note = new WorkerNote();
  const writer = noteWriter(note.descriptor);
  for (let count = 1; count <= TRACE_NOTES_MAX + 2; count++) {
    writer.read(3, { operation: 'get', count });
  }
  const counts = note
    .reads()
    .get(3)
    ?.map((json) => Number(Object(JSON.parse(json)).count));
  expect(counts?.toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: TRACE_NOTES_MAX }, (_, place) => place + 3),
  );
  writer.read(4, { operation: 'x'.repeat(2 * TRACE_NOTE_BYTES_MAX), count: 1 });
  expect(note.reads().get(4)?.[0]?.length).toBeLessThan(TRACE_NOTE_BYTES_MAX);
});

it('takes whatever a worker that was taken over has written', () => {
  using note = new WorkerNote();
  const noise = Buffer.alloc(3 * TRACE_NOTE_BYTES_MAX * TRACE_NOTES_MAX, 0xff);
  writeSync(note.descriptor, noise, 0, noise.length, 0);
  expect(note.reads()).toEqual(new Map());
});
