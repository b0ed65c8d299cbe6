import { createHash } from 'node:crypto';
import { REPLICATION_FRAME_BYTES_MAX } from '#base/replication-limits.ts';
import { describe, expect, it } from 'vitest';
import { patternBytes, startPrimary } from './testing/cluster.ts';

function filesOf(...contents: readonly Uint8Array[]): Map<string, Uint8Array> {
  return new Map(
    contents.map((bytes) => [createHash('sha256').update(bytes).digest('hex'), bytes]),
  );
}

describe('the front end of a primary', () => {
  it('is sent by digests, in the order asked for, empty and large files too', async () => {
    const files = filesOf(
      patternBytes('large', 3 * REPLICATION_FRAME_BYTES_MAX + 1),
      Buffer.of(),
      patternBytes('small', 10),
    );
    await using primary = await startPrimary({ frontEndFile: (digest) => files.get(digest) });
    using channel = await primary.connect();
    const wanted = [...files.keys()].toReversed();
    const got = await channel.fetchFrontEnd([...wanted, ...wanted]);
    expect([...filesOf(...got).keys()]).toEqual(wanted);
    expect(got).toHaveLength(6);
    expect(await channel.fetchFrontEnd([])).toEqual([]);
  });

  it('has no file that it does not have any more, and says so', async () => {
    const [[digest = '', bytes] = []] = filesOf(patternBytes('here', 10));
    await using primary = await startPrimary({
      frontEndFile: (asked) => (asked === digest ? bytes : undefined),
    });
    using channel = await primary.connect();
    const problem = {
      code: 'replication_unavailable',
      message: expect.stringContaining('front end'),
    };
    await expect(channel.fetchFrontEnd([digest, '0'.repeat(64)])).rejects.toMatchObject(problem);
    // The channel goes on.
    expect(await channel.fetchFrontEnd([digest])).toHaveLength(1);
  });
});

describe('notices that hold', () => {
  it('reach who listens, and the newest of each kind who listens later', async () => {
    await using primary = await startPrimary();
    using channel = await primary.connect();
    const early = channel.notices();
    const late = channel.notices();
    primary.server.announce({ kind: 'a', payload: 0 });
    // It listens from now on.
    expect((await early.next()).value).toEqual({ kind: 'a', payload: 0 });
    primary.server.announce({ kind: 'a', payload: 1 });
    primary.server.announce({ kind: 'b', payload: 2 });
    primary.server.announce({ kind: 'a', payload: 3 });
    for (const [kind, payload] of [
      ['a', 1],
      ['b', 2],
      ['a', 3],
    ]) {
      expect((await early.next()).value).toEqual({ kind, payload });
    }
    for (const [kind, payload] of [
      ['a', 3],
      ['b', 2],
    ]) {
      expect((await late.next()).value).toEqual({ kind, payload });
    }
    primary.server.notify({ kind: 'c', payload: 4 });
    for (const notices of [early, late]) {
      expect((await notices.next()).value).toEqual({ kind: 'c', payload: 4 });
    }
  });
});
