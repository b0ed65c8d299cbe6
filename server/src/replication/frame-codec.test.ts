import { join } from 'node:path';
import { loadSync } from '@grpc/proto-loader';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFrame, encodeFrame } from './frame.ts';

/** A general implementation, over the schema that other programs would use. */
function loadFrame() {
  const loaded = loadSync(join(import.meta.dirname, 'replication.proto'), { defaults: true });
  const service = loaded['trellis.replication.v1.Replication'];
  if (service === undefined || 'format' in service) throw new Error('no service');
  const { requestSerialize, requestDeserialize } = service['GetPieces']!;
  return { encode: requestSerialize, decode: requestDeserialize };
}

const frames = fc.record({
  ciphertext: fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.integer({ min: 16_000, max: 70_000 }).map((length) => new Uint8Array(length).fill(3)),
  ),
  tag: fc.uint8Array({ minLength: 1, maxLength: 16 }),
  last: fc.boolean(),
});

describe('a frame on the wire', () => {
  const protobuf = loadFrame();

  it('is read by any implementation of protobuf, and any such is read', () => {
    fc.assert(
      fc.property(frames, (frame) => {
        const want = { ...frame, ciphertext: hex(frame.ciphertext), tag: hex(frame.tag) };
        const theirs: object = protobuf.decode(encodeFrame(frame));
        expect(theirs).toMatchObject({ last: frame.last });
        expect(hex(Reflect.get(theirs, 'ciphertext'))).toBe(want.ciphertext);
        expect(hex(Reflect.get(theirs, 'tag'))).toBe(want.tag);
        const ours = decodeFrame(protobuf.encode(frame));
        expect({ ...ours, ciphertext: hex(ours.ciphertext), tag: hex(ours.tag) }).toEqual(want);
      }),
    );
  });
});

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
