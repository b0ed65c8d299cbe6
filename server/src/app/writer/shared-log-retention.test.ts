import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Followers } from '#log/followers.ts';
import { MemberRegistry, type MemberState } from '#log/postgres/member-registry.ts';
import { addressOf, openLog } from '#log/postgres/testing/postgres-workspaces.ts';
import { filled, KEEP_NONE, settings } from '#log/testing/log-engine.ts';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres-server.ts';
import { requirePostgres } from '../../../../test/support/requires.ts';
import { trimSharedLog } from './shared-log-retention.ts';

const WORKSPACE = 'main';
const SEGMENT_BYTES = 1_000;

describe.skipIf(requirePostgres())('the log in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('keeps what a member lacks that was seen lately, and what the newest backup lacks', async () => {
    const all = {
      ...settings(),
      segmentBytesMax: SEGMENT_BYTES,
      archive: KEEP_NONE,
    };
    await using log = await openLog(server.url, WORKSPACE, all);
    for (let commit = 0; commit < 6; commit++) await log.append(1, filled(SEGMENT_BYTES));
    await using registry = new MemberRegistry(addressOf(server.url), WORKSPACE);
    const followers = Followers.awaiting(['backups']);
    const trim = () => trimSharedLog({ authority: log, registry, followers });
    await trim();
    expect(log.firstSequence).toBe(1);
    await registry.join(member('one', 6));
    await registry.join(member('slow', 2));
    await trim();
    expect(log.firstSequence, 'no backup is known').toBe(1);
    followers.of('backups').reached(4);
    await trim();
    expect(log.firstSequence, 'the slow member').toBe(3);
    await registry.join(member('slow', 6));
    await trim();
    expect(log.firstSequence, 'the backup').toBe(5);
    followers.release('backups');
    await trim();
    expect(log.firstSequence, 'the newest segment stays').toBe(6);
    expect((await registry.report()).firstSequence).toBe(6);
  });
});

function member(name: string, appliedSequence: number): MemberState {
  const address = `http://${name}.example`;
  return {
    name,
    run: name,
    address,
    serverAddress: address,
    role: 'follower',
    appliedSequence,
    version: '26.9.1',
    keyProof: '',
  };
}
