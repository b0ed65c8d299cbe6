import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REPLICA_DROP_MS, REPLICAS_MAX } from '#base/replication-limits.ts';
import { Followers } from '#log/followers.ts';
import { ReplicaRegistry } from './replica-registry.ts';
import type { RegisteredReplica } from './replica-registry.ts';
import { ManualClock } from './testing/cluster.ts';

function start() {
  const clock = new ManualClock();
  const log = { firstSequence: 1, lastSequence: 0 };
  const dropped: string[] = [];
  const followers = new Followers();
  const registry = new ReplicaRegistry({
    clock,
    log,
    followers,
    onDropped: ({ replicaUID }, reason) => dropped.push(`${replicaUID}: ${reason}`),
  });
  return { clock, log, dropped, registry, followers };
}

function registration(replicaUID: string, appliedSequence = 0): RegisteredReplica {
  return {
    replicaUID,
    publicUrl: 'https://replica.example',
    internalUrl: 'http://replica.internal',
    appliedSequence,
  };
}

describe('the registry', () => {
  it('lists replicas by registration, with the lag as of their last report', () => {
    const { log, registry, clock } = start();
    log.lastSequence = 100;
    registry.register(registration('a', 40));
    registry.register(registration('b'));
    expect(registry.list()).toMatchObject([
      { replicaUID: 'a', lagVersions: 60, reportedAt: undefined, version: undefined },
      { replicaUID: 'b', lagVersions: 100 },
    ]);
    clock.time += 5;
    registry.reported('a', 70);
    log.lastSequence = 1_000;
    // As of its last report: what was appended since does not count yet.
    expect(registry.find('a')).toMatchObject({ lagVersions: 30, reportedAt: clock.time });
    expect(registry.lag().currentLag).toBe(30);
    registry.reported('b', 1_000);
    expect(registry.lag()).toMatchObject({ currentLag: 30, averageLag: 30 });
    registry.connected('b', '26.11.0');
    expect(registry.find('b')).toMatchObject({ version: '26.11.0', lagVersions: 0 });
  });

  it('replaces what a replica told when it registers again', () => {
    const { registry, log } = start();
    log.lastSequence = 10;
    registry.register(registration('a'));
    registry.reported('a', 10);
    registry.register({ ...registration('a', 4), publicUrl: 'https://elsewhere.example' });
    expect(registry.list()).toMatchObject([
      { publicUrl: 'https://elsewhere.example', reportedAt: undefined, lagVersions: 6 },
    ]);
  });

  it('drops a replica ten minutes after its last sign of life, and keeps its lag until then', () => {
    const { registry, clock, dropped, log, followers } = start();
    log.lastSequence = 50;
    registry.register(registration('a'));
    clock.time += REPLICA_DROP_MS - 1;
    registry.dropLate();
    registry.reported('a', 20);
    clock.time += REPLICA_DROP_MS - 1;
    registry.dropLate();
    expect(registry.list()).toMatchObject([{ lagVersions: 30 }]);
    expect(registry.lag().currentLag).toBe(30);
    clock.time += 1;
    registry.dropLate();
    expect(dropped).toEqual(['a: silent']);
    expect(registry.list()).toEqual([]);
    expect(registry.lag().currentLag).toBe(0);
    expect(followers.lowestNeeded()).toBeUndefined();
    registry.reported('a', 50);
    expect(registry.find('a')).toBeUndefined();
  });

  it('counts connecting, copying and following as signs of life', () => {
    const signs: ((registry: ReplicaRegistry) => void)[] = [
      (registry) => registry.connected('a', '1'),
      (registry) => registry.isCopying('a'),
      (registry) => registry.needsAfter('a', 0),
      (registry) => registry.reported('a', 0),
    ];
    for (const sign of signs) {
      const { registry, clock } = start();
      registry.register(registration('a'));
      clock.time += REPLICA_DROP_MS - 1;
      sign(registry);
      clock.time += REPLICA_DROP_MS - 1;
      registry.dropLate();
      expect(registry.list()).toHaveLength(1);
    }
  });

  it('knows so many replicas at most, and forgets the one that has been silent for longest', () => {
    const { registry, clock, dropped } = start();
    for (let i = 0; i < REPLICAS_MAX; i++) {
      clock.time++;
      registry.register(registration(`replica ${i}`));
    }
    expect(dropped).toEqual([]);
    registry.reported('replica 0', 0);
    registry.register(registration('replica 7'));
    expect(dropped).toEqual([]);
    registry.register(registration('one more'));
    expect(dropped).toEqual(['replica 1: silent']);
    expect(registry.list()).toHaveLength(REPLICAS_MAX);
  });
});

describe('the log that must be kept for replicas', () => {
  it('is no longer kept for the one for which it takes too much room, which is dropped and told so', () => {
    const { registry, log, followers, dropped } = start();
    log.lastSequence = 200;
    registry.register(registration('far behind', 10));
    registry.register(registration('near', 190));
    followers
      .needing()
      .find(({ neededAfter }) => neededAfter === 10)!
      .drop();
    expect(followers.lowestNeeded()).toBe(190);
    // A report that was on its way does not take it back.
    registry.reported('far behind', 20);
    expect(followers.lowestNeeded()).toBe(190);
    registry.dropLate();
    expect(dropped).toEqual(['far behind: no room']);
    expect(registry.list()).toMatchObject([{ replicaUID: 'near' }]);
  });

  it('begins behind what each one has, as far as the log still goes back', () => {
    const { registry, log, followers } = start();
    expect(followers.lowestNeeded()).toBeUndefined();
    Object.assign(log, { firstSequence: 101, lastSequence: 200 });
    registry.register(registration('resumes', 150));
    expect(followers.lowestNeeded()).toBe(150);
    registry.register(registration('just resumes', 100));
    expect(followers.lowestNeeded()).toBe(100);
    // It needs a snapshot, which is not older than now.
    registry.register(registration('too old', 99));
    registry.register(registration('new'));
    expect(followers.lowestNeeded()).toBe(100);
    registry.reported('just resumes', 180);
    registry.reported('resumes', 190);
    expect(followers.lowestNeeded()).toBe(180);
    registry.register(registration('ahead', 300));
    registry.reported('ahead', 300);
    registry.reported('just resumes', 200);
    registry.reported('resumes', 200);
    log.lastSequence = 250;
    expect(followers.lowestNeeded()).toBe(200);
  });

  it('is never less than what a registered replica still lacks, whatever happens in whatever order', () => {
    const names = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 50 }) }),
      fc.record({ kind: fc.constant('register' as const), name: names }),
      fc.record({
        kind: fc.constant('report' as const),
        name: names,
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 400_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { registry, log, clock, followers } = start();
        /** What a naive primary would note of each: what it has, and when it was heard of. */
        const model = new Map<string, { has: number; at: number }>();
        for (const each of steps) {
          if (each.kind === 'append') log.lastSequence += each.count;
          if (each.kind === 'wait') {
            clock.time += each.ms;
            registry.dropLate();
            for (const [name, { at }] of model) {
              if (clock.time - at >= REPLICA_DROP_MS) model.delete(name);
            }
          }
          if (each.kind === 'register') {
            const has = model.get(each.name)?.has ?? 0;
            registry.register(registration(each.name, has));
            model.set(each.name, { has, at: clock.time });
          }
          if (each.kind === 'report' && model.has(each.name)) {
            const had = model.get(each.name)!.has;
            const has = had + Math.floor((log.lastSequence - had) * each.share);
            registry.reported(each.name, has);
            model.set(each.name, { has, at: clock.time });
          }
          const needed = [...model.values()].map(({ has }) => has);
          expect(followers.lowestNeeded()).toBe(
            needed.length === 0 ? undefined : Math.min(...needed),
          );
          expect(new Set(registry.list().map(({ replicaUID }) => replicaUID))).toEqual(
            new Set(model.keys()),
          );
        }
      }),
    );
  });
});
