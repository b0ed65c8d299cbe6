import type { MemberOverview } from '@trellis/contract/shapes/member.ts';
import { describe, expect, it } from 'vitest';
import { trellis } from '../testing/command-line.ts';
import { refusal, startService } from '../testing/service.ts';

const OVERVIEW: MemberOverview = {
  term: 3,
  primary: 'berlin',
  members: [
    {
      name: 'berlin',
      address: 'https://berlin.example',
      role: 'primary',
      appliedSequence: 100,
      lagVersions: 0,
      lastSeenAt: '2026-11-21T09:00:00.000Z',
      version: '26.11.0',
    },
    {
      name: 'paris',
      address: 'https://paris.example',
      role: 'follower',
      appliedSequence: 97,
      lagVersions: 3,
      lastSeenAt: '2026-11-21T09:00:00.000Z',
      version: '26.11.0',
    },
  ],
  log: { engine: 'postgres', firstSequence: 1, lastSequence: 100, bytes: 1, synchronous: true },
  takeovers: [{ term: 3, member: 'berlin', at: '2026-11-21T08:00:00.000Z' }],
};

async function statusOf(overview: MemberOverview, ...args: string[]) {
  const service = await startService({ 'GET /api/graph/members': () => ({ body: overview }) });
  return trellis(['cluster', 'status', '--server', service.url, ...args]);
}

describe('cluster status', () => {
  it('lists the members with their roles', async () => {
    const { code, stdout, stderr } = await statusOf(OVERVIEW);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^berlin +primary +0 +100 +26\.11\.0 /m);
    expect(stdout).toMatch(/^paris +follower +3 +97 +26\.11\.0 /m);
    expect(stderr).toBe('');
    expect(JSON.parse((await statusOf(OVERVIEW, '--json')).stdout)).toEqual(OVERVIEW);
  });

  it('warns when nobody is the primary, and when one disk decides', async () => {
    const log = { ...OVERVIEW.log, synchronous: false };
    const { stderr } = await statusOf({ ...OVERVIEW, primary: null, log });
    expect(stderr).toContain('no primary at the moment');
    expect(stderr).toContain('synchronous_standby_names is empty');
  });
});

describe('cluster step-down', () => {
  it('asks the primary to', async () => {
    const asked: string[] = [];
    const service = await startService({
      'POST /api/graph/members/step-down': () => {
        asked.push('step-down');
        return { status: 204 };
      },
    });
    const { code } = await trellis(['cluster', 'step-down', '--server', service.url]);
    expect([code, asked]).toEqual([0, ['step-down']]);
  });

  it('fails when there is no other member', async () => {
    const service = await startService({
      'POST /api/graph/members/step-down': () => refusal(409, 'no_other_member'),
    });
    const { code, stderr } = await trellis(['cluster', 'step-down', '--server', service.url]);
    expect(code).toBe(1);
    expect(stderr).toContain('no_other_member');
  });
});
