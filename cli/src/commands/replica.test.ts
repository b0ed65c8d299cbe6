import type { ReplicaOverview } from '@trellis/contract/shapes/replica.ts';
import { describe, expect, it } from 'vitest';
import { trellis } from '../testing/command-line.ts';
import { refusal, startService } from '../testing/service.ts';

type Replica = ReplicaOverview['replicas'][number];

function replica(name: string, more: Partial<Replica>): Replica {
  return {
    replicaUID: `uid of ${name}`,
    replicaName: name,
    publicAddress: `https://${name}.example`,
    serverAddress: `http://${name}.internal`,
    version: '26.11.0',
    registeredAt: '2026-11-21T08:00:00.000Z',
    reportedAt: '2026-11-21T09:00:00.000Z',
    appliedSequence: 90,
    lagVersions: 10,
    ...more,
  };
}

async function statusOf(replicas: readonly Replica[], ...args: string[]) {
  const body = { version: '26.11.0', epoch: 'e'.repeat(32), sequence: 100, replicas };
  const service = await startService({ 'GET /api/replicas': () => ({ body }) });
  return trellis(['replica', 'status', '--server', service.url, ...args]);
}

describe('replica status', () => {
  it('lists them, and says which one to promote', async () => {
    const { code, stdout, stderr } = await statusOf([
      replica('calm-oak-1', { appliedSequence: 95, lagVersions: 5 }),
      replica('brisk-elm-2', { appliedSequence: 99, lagVersions: 1 }),
      // It has said nothing yet, and may have nothing.
      replica('keen-fir-3', { appliedSequence: 100, reportedAt: null, version: null }),
    ]);
    expect(code).toBe(0);
    expect(stdout.split('\n')[2]).toMatch(/^brisk-elm-2 +uid of brisk-elm-2 +1 +99 +26\.11\.0 /);
    expect(stdout).toContain('none yet');
    expect(stderr).toContain(
      'brisk-elm-2 (https://brisk-elm-2.example), which is the least behind',
    );
  });

  it('prefers of two that have the same the one that reported last', async () => {
    const { stdout } = await statusOf(
      [
        replica('calm-oak-1', { reportedAt: '2026-11-21T09:00:00.000Z' }),
        replica('brisk-elm-2', { reportedAt: '2026-11-21T09:00:01.000Z' }),
      ],
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({ promote: 'uid of brisk-elm-2', sequence: 100 });
  });

  it('warns of another version', async () => {
    const { stderr } = await statusOf([replica('calm-oak-1', { version: '26.10.4' })]);
    expect(stderr).toContain('calm-oak-1 is of version 26.10.4, the primary of 26.11.0');
  });

  it('says when there are none', async () => {
    const { code, stderr } = await statusOf([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'No replica is registered.\n' });
  });

  it('tells what is missing on a primary without a key', async () => {
    const service = await startService({
      'GET /api/replicas': () => refusal(409, 'replication_off'),
    });
    const { code, stderr } = await trellis(['replica', 'status', '--server', service.url]);
    expect(code).toBe(1);
    expect(stderr).toContain('replication_off');
  });
});

describe('replica verify', () => {
  const common = { replicaUID: 'u', replicaName: 'calm-oak-1' };

  async function verify(isEqual: boolean, replicas: readonly object[]) {
    const body = { epoch: 'e'.repeat(32), sequence: 100, isEqual, replicas };
    const service = await startService({ 'POST /api/replicas/verify': () => ({ body }) });
    return trellis(['replica', 'verify', '--server', service.url]);
  }

  it('is good when all are equal', async () => {
    const outcome = await verify(true, [{ ...common, state: 'equal', differences: [] }]);
    expect(outcome).toMatchObject({
      code: 0,
      stderr: 'All replicas are equal to the primary at sequence 100.\n',
    });
  });

  it('names what differs, and fails', async () => {
    const differences = [
      { database: 'nodes', piecesOnPrimary: 1, piecesOnReplica: 2, firstKey: '0a' },
    ];
    const { code, stdout } = await verify(false, [{ ...common, state: 'different', differences }]);
    expect(code).toBe(1);
    expect(stdout).toContain('nodes from key 0a (1 pieces of the primary, 2 of the replica)');
  });

  it('fails when a replica does not answer', async () => {
    const { code, stdout } = await verify(false, [
      { ...common, state: 'unknown', differences: [] },
    ]);
    expect(code).toBe(1);
    expect(stdout).toContain('unknown');
  });

  it('says when there is nothing to compare', async () => {
    const { code, stderr } = await verify(true, []);
    expect(code).toBe(0);
    expect(stderr).toContain('nothing to compare');
  });
});
