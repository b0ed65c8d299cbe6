import { expect, it } from 'vitest';
import { BACKUP_LOG_HELD_BYTES_MAX, BACKUP_LOG_HELD_ROOM_BYTES_MIN } from '#base/backup-limits.ts';
import { INDEX_LOG_HELD_BYTES_MAX, LOG_HELD_ROOM_BYTES_MIN } from '#base/limits.ts';
import { Followers } from './followers.ts';
import { trimLog } from './retention.ts';

const ROOM = 1024 ** 4;
const ARCHIVE = { ttlMs: 0, bytesMax: 1_000 };

/** A log of a hundred operations with `bytesEach` bytes each; the state has applied all of them. */
function trimmer(bytesEach: number, roomBytes = ROOM) {
  const followers = new Followers();
  const kept: number[] = [];
  const dropped: string[] = [];
  const log = {
    bytesAfter: (sequence: number) => (100 - sequence) * bytesEach,
    trim: async (keepAfter: number) => void kept.push(keepAfter),
  };
  const trim = async (): Promise<number | undefined> => {
    await trimLog({
      log,
      archive: ARCHIVE,
      followers,
      flushedSequence: () => 90,
      roomBytes: () => roomBytes,
      onDropped: ({ kind }) => void dropped.push(kind),
    });
    return kept.at(-1);
  };
  return { followers, trim, dropped };
}

it('keeps what the state has not on the device, and what the slowest follower needs', async () => {
  const { followers, trim, dropped } = trimmer(1);
  expect(await trim()).toBe(90);
  followers.of('text index').needs(50);
  using replica = followers.claim('replica');
  replica.needs(95);
  expect(await trim()).toBe(50);
  replica.needs(20);
  expect(await trim()).toBe(20);
  expect(dropped).toEqual([]);
});

it('keeps no more for an index than its limit, but for a replica', async () => {
  const atLimit = trimmer(INDEX_LOG_HELD_BYTES_MAX / 40);
  atLimit.followers.of('text index').needs(50);
  expect(await atLimit.trim()).toBe(50);
  atLimit.followers.of('vector index').needs(49);
  using replica = atLimit.followers.claim('replica');
  replica.needs(10);
  expect(await atLimit.trim()).toBe(10);
  expect(atLimit.dropped).toEqual(['vector index']);
  expect(atLimit.followers.of('vector index').isDropped).toBe(true);
  expect(atLimit.followers.of('text index').isDropped).toBe(false);
});

it('keeps no more for backups than their limit', async () => {
  const { followers, trim, dropped } = trimmer(BACKUP_LOG_HELD_BYTES_MAX / 40);
  followers.of('backups').needs(50);
  expect(await trim()).toBe(50);
  followers.of('backups').needs(49);
  expect(await trim()).toBe(90);
  expect(dropped).toEqual(['backups']);
});

it.each([
  ['text index', LOG_HELD_ROOM_BYTES_MIN],
  ['backups', BACKUP_LOG_HELD_ROOM_BYTES_MIN],
] as const)('keeps nothing for the %s that leaves too little room', async (kind, roomMin) => {
  const enough = trimmer(1_000, roomMin);
  enough.followers.of(kind).needs(50);
  expect(await enough.trim()).toBe(50);
  const short = trimmer(1_000, roomMin - 1);
  short.followers.of(kind).needs(50);
  expect(await short.trim()).toBe(90);
  expect(short.dropped).toEqual([kind]);
});

it('drops nobody for what the archive may have anyway', async () => {
  const { followers, trim, dropped } = trimmer(25, 0);
  followers.of('text index').needs(50);
  expect(await trim()).toBe(50);
  followers.of('backups').needs(49);
  expect(await trim()).toBe(50);
  expect(dropped).toEqual(['backups']);
});
