import { once } from 'node:events';
import { Duplex, PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { ENDPOINT_FRAME_BYTES_MAX } from '#base/endpoint-limits.ts';
import { FramePipe } from './frame-pipe.ts';

const FRAMES = [
  '[[2,"call",1]]\n{}',
  '',
  'ß€😀 \uFFFD',
  'x'.repeat(100_000),
  'é'.repeat(70_000),
  'end',
];

/** What the pipe writes for the frames. */
function bytesOf(frames: readonly string[]): Buffer {
  const written: Buffer[] = [];
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk);
      done();
    },
  });
  const pipe = new FramePipe(
    stream,
    () => {},
    () => {},
  );
  for (const frame of frames) pipe.send(frame);
  return Buffer.concat(written);
}

it.each([1, 3, 4, 5, 7, 1_000, 65_536, 1_000_000])(
  'gives each text as it was sent, in chunks of %d bytes',
  (size) => {
    const frames = size < 5 ? FRAMES.map((frame) => frame.slice(0, 500)) : FRAMES;
    const bytes = bytesOf(frames);
    const stream = new PassThrough();
    const heard: string[] = [];
    const pipe = new FramePipe(
      stream,
      (frame) => heard.push(frame),
      () => {},
    );
    for (let at = 0; at < bytes.length; at += size)
      stream.emit('data', bytes.subarray(at, at + size));
    expect(heard).toEqual(frames);
    pipe.close();
  },
);

it.each([
  [ENDPOINT_FRAME_BYTES_MAX - 1, false],
  [ENDPOINT_FRAME_BYTES_MAX, false],
  [ENDPOINT_FRAME_BYTES_MAX + 1, true],
])('ends when a text of %d bytes is announced: %s', async (length, isEnd) => {
  const stream = new PassThrough();
  const pipe = new FramePipe(
    stream,
    () => {},
    () => {},
  );
  const head = Buffer.alloc(4);
  head.writeUInt32LE(length);
  const closed = once(stream, 'close');
  stream.emit('data', head);
  expect(stream.destroyed).toBe(isEnd);
  pipe.close();
  await closed;
});
