import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { KEEP_ALL, TestClock, readAll } from './testing/log-engine.ts';
import { openSegmentLog } from './segment-log.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import type { CommitLog } from './commit-log.ts';

const ROUNDS = 4;
const ACKNOWLEDGED_PER_ROUND = 300;

function openLog(folder: string): Promise<CommitLog> {
  return openSegmentLog({ folder, clock: new TestClock(), archive: KEEP_ALL });
}

/**
 * Starts a process that appends, kills it after some acknowledged commits, and returns all lines
 * that it printed.
 */
async function appendAndKill(folder: string): Promise<string[]> {
  const script = fileURLToPath(new URL('testing/append-until-killed.ts', import.meta.url));
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const ended = once(child.stdout, 'end');
  let printed = '';
  let isTried = false;
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    printed += String(chunk);
    if (!isTried) {
      isTried = true;
      await expect(openLog(folder)).rejects.toMatchObject({ code: 'storage_in_use' });
    }
    if (printed.split('\n').length > ACKNOWLEDGED_PER_ROUND) child.kill('SIGKILL');
  }
  await ended;
  expect(await exited).toEqual([null, 'SIGKILL']);
  return printed.split('\n').slice(0, -1);
}

it('has every acknowledged commit after a killed process, and a free folder', async () => {
  await using folder = await temporaryFolder();
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    acknowledged.push(...(await appendAndKill(folder.path)));
    await using log = await openLog(folder.path);
    const held = new Map<number, string>();
    for (const { last, payload } of await readAll(log)) {
      held.set(last, Buffer.from(payload).toString().trimEnd());
    }
    expect(acknowledged.length).toBeGreaterThan(ACKNOWLEDGED_PER_ROUND * (round + 1) - 1);
    for (const line of acknowledged) {
      const [last, id] = line.split(' ');
      expect(held.get(Number(last))).toBe(id);
    }
  }
});

it('lets one log at a time into a folder, of this process too', async () => {
  await using folder = await temporaryFolder();
  const log = await openLog(folder.path);
  await expect(openLog(folder.path)).rejects.toMatchObject({
    code: 'storage_in_use',
    details: { folder: folder.path },
  });
  await log.append(1, Buffer.from('still mine'));
  await log[Symbol.asyncDispose]();
  await using again = await openLog(folder.path);
  expect(again.lastSequence).toBe(1);
});
