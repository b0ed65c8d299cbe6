import { expect, it } from 'vitest';
import { FOLLOWERS_MAX } from '#base/limits.ts';
import { FOLLOWER_KINDS, Followers } from './followers.ts';

it('keeps the log for the follower that is the furthest behind, as every thread sees it', () => {
  const followers = Followers.awaiting(['text index', 'backups']);
  const elsewhere = new Followers(followers.buffer);
  expect(elsewhere.lowestNeeded()).toBe(0);
  followers.of('backups').needs(undefined);
  followers.of('text index').needs(40);
  using replica = elsewhere.claim('replica');
  replica.needs(30);
  replica.reached(35);
  expect(followers.lowestNeeded()).toBe(30);
  expect(followers.needing()).toMatchObject([
    { kind: 'text index', neededAfter: 40 },
    { kind: 'replica', neededAfter: 30, reached: 35 },
  ]);
  replica[Symbol.dispose]();
  expect(followers.lowestNeeded()).toBe(40);
  followers.release('text index');
  expect(followers.lowestNeeded()).toBeUndefined();
});

it('tells what a follower has, also when it needs nothing', () => {
  const followers = Followers.awaiting(['backups']);
  expect(followers.reachedBy('backups')).toBe(0);
  const backups = followers.of('backups');
  backups.reached(12);
  backups.needs(undefined);
  expect(followers.reachedBy('backups')).toBe(12);
  followers.release('backups');
  expect(followers.reachedBy('backups')).toBeUndefined();
});

it('tells the follower that the log is not kept for it, until it needs something again', () => {
  const followers = new Followers();
  const index = followers.of('text index');
  index.needs(10);
  const [seen] = followers.needing();
  index.needs(20);
  // The follower has moved on since.
  seen!.drop();
  expect(index.isDropped).toBe(false);
  expect(followers.lowestNeeded()).toBe(20);
  followers.needing()[0]!.drop();
  expect(index.isDropped).toBe(true);
  expect(followers.lowestNeeded()).toBeUndefined();
  index.needs(30);
  expect(index.isDropped).toBe(false);
});

it('has so many slots, each for one follower at a time', () => {
  const followers = new Followers();
  const count = FOLLOWERS_MAX - FOLLOWER_KINDS.indexOf('replica');
  const slots = Array.from({ length: count }, (_, i) => {
    const slot = followers.claim('replica');
    slot.needs(i);
    return slot;
  });
  expect(new Set(followers.needing().map(({ neededAfter }) => neededAfter)).size).toBe(count);
  expect(() => followers.claim('replica')).toThrow('more followers');
  slots[7]![Symbol.dispose]();
  followers.claim('replica').needs(1_000);
  expect(followers.needing()).toHaveLength(count);
  expect(() => followers.claim('replica')).toThrow('more followers');
});
