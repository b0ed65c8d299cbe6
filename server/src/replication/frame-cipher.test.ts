import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  REPLICATION_FRAME_BYTES_MAX,
  REPLICATION_FRAMES_IN_FLIGHT_MAX,
} from '#base/replication-limits.ts';
import { decodeFrame, encodeFrame, type Frame, FrameOpener, FrameSealer } from './frame.ts';
import { cutFrames, joinParts, MessageSender, receiveMessages, sealFrame } from './frame-stream.ts';

const KEY = new Uint8Array(32).fill(7);
const bytes = fc.uint8Array({ maxLength: 300 });

function sealAll(
  messages: readonly { readonly parts: Uint8Array[]; readonly last: boolean }[],
): Frame[] {
  const sealer = new FrameSealer(KEY);
  return messages.map(({ parts, last }) => sealer.seal(parts, last));
}

const messages = fc.array(
  fc.record({ parts: fc.array(bytes, { maxLength: 3 }), last: fc.boolean() }),
  { minLength: 1, maxLength: 5 },
);

describe('a frame', () => {
  it('opens to what was sealed, in the order in which it was', () => {
    fc.assert(
      fc.property(messages, (list) => {
        const opener = new FrameOpener(KEY);
        for (const [i, frame] of sealAll(list).entries()) {
          const decoded = decodeFrame(encodeFrame(frame));
          expect(decoded.last).toBe(list[i]!.last);
          expect(Buffer.compare(opener.open(decoded), Buffer.concat(list[i]!.parts))).toBe(0);
        }
      }),
    );
  });

  it('does not open when any bit of it was turned', () => {
    fc.assert(
      fc.property(
        bytes,
        fc.boolean(),
        fc.nat(),
        fc.integer({ min: 0, max: 7 }),
        (part, last, at, bit) => {
          const [frame] = sealAll([{ parts: [part], last }]);
          const wire = encodeFrame(frame!);
          wire[at % wire.length]! ^= 1 << bit;
          const opener = new FrameOpener(KEY);
          // A field that is given in another way may still be the same frame; never another one.
          let opened: Buffer | undefined;
          let isLast: boolean | undefined;
          try {
            const decoded = decodeFrame(wire);
            opened = opener.open(decoded);
            isLast = decoded.last;
          } catch (error) {
            expect(error).toMatchObject({ code: 'replication_corrupt' });
            return;
          }
          expect(Buffer.compare(opened, part)).toBe(0);
          expect(isLast).toBe(last);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('does not open out of its place: left out, repeated, exchanged, ended early or late', () => {
    const list = [0, 1, 2].map((i) => ({ parts: [Buffer.from([i])], last: i === 2 }));
    const [a, b, c] = sealAll(list) as [Frame, Frame, Frame];
    const wrong: Frame[][] = [
      [b],
      [a, c],
      [a, a],
      [b, a],
      [{ ...a, last: true }],
      [a, b, { ...c, last: false }],
    ];
    for (const frames of wrong) {
      const opener = new FrameOpener(KEY);
      expect(() => frames.map((frame) => opener.open(frame))).toThrow(
        expect.objectContaining({ code: 'replication_corrupt' }),
      );
    }
    const other = new FrameOpener(new Uint8Array(32).fill(8));
    expect(() => other.open(a)).toThrow(expect.objectContaining({ code: 'replication_corrupt' }));
    expect(() => new FrameOpener(KEY).open({ ...a, tag: a.tag.subarray(0, 4) })).toThrow(
      expect.objectContaining({ code: 'replication_corrupt' }),
    );
  });

  it('is refused when its encoding is not one, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (wire) => {
        try {
          const { ciphertext, tag } = decodeFrame(Buffer.from(wire));
          expect(ciphertext.length + tag.length).toBeLessThanOrEqual(wire.length);
        } catch (error) {
          expect(error).toMatchObject({ code: 'replication_corrupt' });
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a message', () => {
  it('is cut into full frames but for the last, and comes together again', async () => {
    const sizes = fc.array(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 6 }), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 16 }), async (list, max) => {
        const sealer = new FrameSealer(KEY);
        const frames: Buffer[] = [];
        const want: Buffer[] = [];
        for (const lengths of list) {
          const parts = lengths.map((length, i) => Buffer.alloc(length, i + 1));
          want.push(Buffer.concat(parts));
          const cut = [...cutFrames(parts, max)];
          for (const { slices, last } of cut) {
            const size = slices.reduce((sum, slice) => sum + slice.length, 0);
            if (last) expect(size).toBeLessThanOrEqual(max);
            else expect(size).toBe(max);
            frames.push(sealFrame(sealer, slices, last));
          }
        }
        const got = await Array.fromAsync(receiveMessages(streamOf(frames), new FrameOpener(KEY)));
        expect(got.map(joinParts)).toEqual(want);
      }),
    );
  });

  it('whose end does not come is not given out', async () => {
    const sealer = new FrameSealer(KEY);
    const frames = [
      sealFrame(sealer, [Buffer.from('a')], true),
      sealFrame(sealer, [Buffer.from('b')], false),
    ];
    const got = await Array.fromAsync(receiveMessages(streamOf(frames), new FrameOpener(KEY)));
    expect(got.map((parts) => String(joinParts(parts)))).toEqual(['a']);
  });

  it('is sent no faster than the frames go out, and not at all after the end', async () => {
    const waiting: (() => void)[] = [];
    const ending = new AbortController();
    const sink = {
      write: (_frame: Buffer, onSent: () => void): boolean => {
        waiting.push(onSent);
        return true;
      },
    };
    const sender = new MessageSender(sink, new FrameSealer(KEY), ending.signal);
    const frames = 4 * REPLICATION_FRAMES_IN_FLIGHT_MAX;
    const message = Buffer.alloc(frames * REPLICATION_FRAME_BYTES_MAX);
    const sending = sender.send([message]);
    let written = 0;
    while (waiting.length > 0) {
      expect(waiting.length).toBeLessThanOrEqual(REPLICATION_FRAMES_IN_FLIGHT_MAX);
      written++;
      waiting.shift()!();
      await Promise.resolve().then(() => undefined);
    }
    await sending;
    expect(written).toBe(frames);
    const stuck = sender.send([message]);
    ending.abort(new Error('gone'));
    await expect(stuck).rejects.toThrow('gone');
    await expect(sender.send([])).rejects.toThrow('gone');
  });
});

async function* streamOf<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list;
}
