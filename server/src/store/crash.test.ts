import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openSegmentLog } from '#log/segment-log.ts';
import { KEEP_ALL, TestClock } from '#log/testing/log-engine.ts';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { digestState } from './snapshot.ts';
import { openSnapshotReader } from './snapshot-reader.ts';
import type { KeyValueReader } from './key-value.ts';
import { openState } from './state-writer.ts';
import { areCounted, blockCounts } from './testing/counted-entries.ts';
import { readCounter } from './testing/counter-commits.ts';

const ROUNDS = 4;
const ACKNOWLEDGED_PER_ROUND = 150;
const BOTH = ['graph', 'vault'] as const;
const clock = new TestClock();

/**
 * Starts a process that commits, kills it after some acknowledged commits, and returns the newest
 * sequence that it printed.
 */
async function commitAndKill(storage: string): Promise<number> {
  const script = fileURLToPath(new URL('testing/commit-until-killed.ts', import.meta.url));
  const child = spawn(process.execPath, [script, storage], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let printed = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    printed += String(chunk);
    if (printed.split('\n').length > ACKNOWLEDGED_PER_ROUND) child.kill('SIGKILL');
  }
  expect(await exited).toEqual([null, 'SIGKILL']);
  const lines = printed.split('\n').slice(0, -1).map(Number);
  expect(lines).toEqual(lines.toSorted((a, b) => a - b));
  return lines.at(-1)!;
}

function expectRightCounts(reader: KeyValueReader): void {
  expect(areCounted(reader)).toBe(true);
  const { kept, found } = blockCounts(reader);
  expect(kept).toEqual(found);
  expect(kept.at(-1)).toBeGreaterThan(0);
}

it('has every acknowledged commit, none by half, and what the log says, after a killed process', async () => {
  await using folder = await temporaryFolder();
  for (let round = 0; round < ROUNDS; round++) {
    const acknowledged = await commitAndKill(folder.path);
    {
      // The state as the crash left it: LMDB alone has what was acknowledged, and only whole
      // commits.
      using reader = openSnapshotReader({ storage: folder.path, environments: BOTH });
      expect(reader.sequence).toBeGreaterThanOrEqual(acknowledged);
      expect(readCounter(reader, true)).toBeGreaterThan(0);
      using graph = openSnapshotReader({ storage: folder.path, environments: ['graph'] });
      expectRightCounts(graph);
    }
    await using log = await openSegmentLog({
      folder: join(folder.path, 'log'),
      clock,
      archive: KEEP_ALL,
    });
    await using rebuiltFolder = await temporaryFolder();
    await using state = await openState({ storage: folder.path, log, clock });
    await using rebuilt = await openState({ storage: rebuiltFolder.path, log, clock });
    expect(state.sequence).toBe(log.lastSequence);
    expectRightCounts(state.local.reader);
    expect(rebuilt.sequence).toBe(log.lastSequence);
    const manifests = [folder.path, rebuiltFolder.path].map(async (storage) => {
      using reader = openSnapshotReader({ storage, environments: BOTH });
      return await digestState(reader);
    });
    const [live, fromLog] = await Promise.all(manifests);
    expect(live).toEqual(fromLog);
  }
});
