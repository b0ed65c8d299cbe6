import { describe, expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import { DB } from '#store/databases.ts';
import { sealManifest, type Manifest, type ManifestPiece } from '#store/manifest.ts';
import type { Notice } from './message-shapes.ts';
import type { ReplicaStatus } from './replica-registry.ts';
import { differencesBetween, Verification, VERIFY_NOTICE } from './verification.ts';

const EPOCH = 'e'.repeat(32);
const AT = 7;

function piece(name: string, firstKey: string): ManifestPiece {
  return { digest: name.padEnd(64, '0'), bytes: 1, entries: 1, firstKey };
}

function manifest(nodes: readonly ManifestPiece[], uids: readonly ManifestPiece[] = []): Manifest {
  return sealManifest(EPOCH, AT, [
    { number: DB.nodes, pieces: nodes },
    { number: DB.uids, pieces: uids },
  ]);
}

function status(replicaUID: string): ReplicaStatus {
  return {
    replicaUID,
    replicaName: `name of ${replicaUID}`,
    publicUrl: 'https://replica.example',
    internalUrl: `http://${replicaUID.replace(/ again$/, '')}.internal`,
    version: undefined,
    registeredAt: 0,
    reportedAt: undefined,
    appliedSequence: 0,
    lagVersions: 0,
  };
}

/** Pauses that end when the test says so. */
function scene(replicas: readonly string[]) {
  const notices: Notice[] = [];
  const pauses: (() => void)[] = [];
  const held: number[] = [];
  const verification = new Verification({
    replicas: () => replicas.map(status),
    notify: (notice) => notices.push(notice),
    hold: async (sequence) => {
      held.push(sequence);
      return { sequence: AT, readManifest: async () => PRIMARY, [Symbol.dispose]: () => {} };
    },
    pause: () => new Promise((resolve) => pauses.push(resolve)),
  });
  return { verification, notices, pauses, held };
}

const PRIMARY = manifest([piece('a', '00'), piece('b', '10')]);
const EQUAL = { isEqual: true, differences: [] };

describe('a comparison of replicas', () => {
  it('is of one sequence, which no replica had passed', async () => {
    const { verification, notices, held } = scene(['one', 'two']);
    const report = verification.run();
    expect(notices).toEqual([{ kind: VERIFY_NOTICE, payload: { id: 1 } }]);
    const targets = Promise.all([verification.held('one', 1, 3), verification.held('two', 1, 5)]);
    expect(await targets).toEqual([AT, AT]);
    expect(held).toEqual([5]);
    expect(await verification.manifest(1)).toBe(PRIMARY);
    const differences = [
      { database: 'nodes', piecesOnPrimary: 1, piecesOnReplica: 0, firstKey: '10' },
    ];
    verification.compared('one', 1, EQUAL);
    verification.compared('two', 1, { isEqual: false, differences });
    expect(await report).toEqual({
      epoch: EPOCH,
      sequence: AT,
      isEqual: false,
      replicas: [
        { replicaUID: 'one', replicaName: 'name of one', state: 'equal', differences: [] },
        { replicaUID: 'two', replicaName: 'name of two', state: 'different', differences },
      ],
    });
  });

  it('goes on without a replica that does not answer', async () => {
    const { verification, pauses } = scene(['one', 'silent']);
    const report = verification.run();
    const target = verification.held('one', 1, 3);
    pauses[0]?.();
    expect(await target).toBe(AT);
    await verification.manifest(1);
    verification.compared('one', 1, EQUAL);
    const { isEqual, replicas } = await report;
    expect(isEqual).toBe(false);
    expect(replicas.map(({ state }) => state)).toEqual(['equal', 'unknown']);
    await expect(verification.held('silent', 1, 3)).rejects.toThrow('is over');
  });

  it('gives up one that stopped and says no more', async () => {
    const { verification, pauses } = scene(['one']);
    const report = verification.run();
    await verification.held('one', 1, 3);
    await verification.manifest(1);
    await Promise.resolve();
    pauses.at(-1)?.();
    expect((await report).replicas[0]?.state).toBe('unknown');
    expect(() => verification.compared('one', 1, EQUAL)).toThrow('is over');
  });

  it('does not wait for the former life of a replica that was started anew', async () => {
    const { verification } = scene(['one', 'one again']);
    const report = verification.run();
    void verification.held('one again', 1, 3);
    await verification.manifest(1);
    verification.compared('one again', 1, EQUAL);
    expect((await report).replicas.map(({ replicaUID }) => replicaUID)).toEqual(['one again']);
  });

  it('tells how far it is', async () => {
    const { verification } = scene(['one', 'two']);
    const steps: string[] = [];
    const report = verification.run((done, total) => steps.push(`${done}/${total}`));
    expect(steps).toEqual([]);
    await Promise.all([verification.held('one', 1, 3), verification.held('two', 1, 3)]);
    await verification.manifest(1);
    verification.compared('one', 1, EQUAL);
    verification.compared('two', 1, EQUAL);
    await report;
    expect(steps).toEqual(['1/4', '2/4', '3/4', '4/4']);
  });

  it('can be cancelled while it waits, and replicas learn that it is over', async () => {
    const { verification } = scene(['one', 'silent']);
    const waiting = verification.run();
    const held = verification.held('one', 1, 3);
    verification.cancel();
    await expect(waiting).rejects.toMatchObject({ code: 'job_cancelled' });
    await expect(held).rejects.toThrow('is over');

    const comparing = verification.run();
    await Promise.all([verification.held('one', 2, 3), verification.held('silent', 2, 3)]);
    await verification.manifest(2);
    verification.cancel();
    await expect(comparing).rejects.toMatchObject({ code: 'job_cancelled' });
    verification.cancel();
  });

  it('of nobody ends at once', async () => {
    const { verification } = scene([]);
    expect(await verification.run()).toMatchObject({ isEqual: true, replicas: [] });
  });

  it('is one at a time', async () => {
    const { verification } = scene(['one']);
    const first = verification.run();
    await expect(verification.run()).rejects.toThrow(Problem);
    void verification.held('one', 1, 3);
    await verification.manifest(1);
    verification.compared('one', 1, EQUAL);
    expect((await first).isEqual).toBe(true);
    const second = verification.run();
    expect(() => verification.compared('one', 1, EQUAL)).toThrow('is over');
    void verification.held('one', 2, 3);
    await verification.manifest(2);
    verification.compared('one', 2, EQUAL);
    expect((await second).isEqual).toBe(true);
  });
});

describe('the differences of two states', () => {
  it('are named by database, with the first key of what only one has', () => {
    const replica = manifest(
      [piece('a', '00'), piece('c', '0f'), piece('d', '20')],
      [piece('e', '')],
    );
    expect(differencesBetween(PRIMARY, replica)).toEqual([
      { database: 'nodes', piecesOnPrimary: 1, piecesOnReplica: 2, firstKey: '0f' },
      { database: 'uids', piecesOnPrimary: 0, piecesOnReplica: 1, firstKey: '' },
    ]);
  });

  it('are none of equal states', () => {
    expect(differencesBetween(PRIMARY, manifest([piece('a', '00'), piece('b', '10')]))).toEqual([]);
  });
});
