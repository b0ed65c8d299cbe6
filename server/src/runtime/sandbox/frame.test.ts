import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameWriter, readFrame } from './frame.ts';

function read(frame: string): unknown[] {
  const items: unknown[] = [];
  readFrame(frame, ([, ...item], payload) => items.push([item, payload]));
  return items;
}

it('gives back what was written', () => {
  const item = fc.tuple(
    fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean()), { minLength: 1 }),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(fc.array(fc.array(item, { minLength: 1 }), { minLength: 1 }), (frames) => {
      const writer = new FrameWriter();
      for (const items of frames) {
        expect(writer.isEmpty).toBe(true);
        for (const [values, payload] of items)
          writer.push(JSON.stringify(values).slice(1, -1), payload);
        expect(writer.isEmpty).toBe(false);
        expect(read(writer.take())).toEqual(items);
      }
    }),
  );
});

describe('what is no frame', () => {
  it.each(['', 'x', '\n', '[1\n'])('%j is refused: it is no JSON', (text) => {
    expect(() => read(text)).toThrow('JSON');
  });

  it.each(['{}\n', '[1]\n', '[[]]\n', '[["ready"]]\n', '[[-1,"ready"]]\n', '[[null,"ready"]]\n'])(
    '%j is refused',
    (text) => {
      expect(() => read(text)).toThrow(/a frame is a list|begins with a length/);
    },
  );

  it('a payload is never longer than the text', () => {
    expect(read('[[100,"ask"]]\nabc')).toEqual([[['ask'], 'abc']]);
  });
});
