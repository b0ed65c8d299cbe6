import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { PRIORITY, startThread } from './thread.ts';

const THREAD = `
import { getCompileCacheDir } from 'node:module';
import { parentPort } from 'node:worker_threads';
parentPort.postMessage(getCompileCacheDir());`;

/** Prints where it keeps what it compiles, and where a thread of its does. */
const program = (folder: string): string => `
import { enableCompileCache, getCompileCacheDir } from 'node:module';
enableCompileCache(${JSON.stringify(folder)});
const { startThread } = await import(${JSON.stringify(new URL('./thread.ts', import.meta.url))});
const thread = startThread(new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(THREAD)})));
thread.once('message', (kept) => console.log(JSON.stringify([getCompileCacheDir(), kept])));`;

test('a thread keeps what it compiles where its process does', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-compiled-'));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '--eval',
      program(folder),
    ]);
    const [ofProcess, ofThread] = JSON.parse(stdout) as [string, string];
    expect(ofProcess.startsWith(folder)).toBe(true);
    expect(ofThread).toBe(ofProcess);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each([
  ['', 10],
  [`${PRIORITY.low}`, 10],
  [`${PRIORITY.last}`, 19],
])('lowers that of the thread alone: lowerPriority(%s) to %i', async (argument, expected) => {
  const module = JSON.stringify(new URL('./thread.ts', import.meta.url));
  const code = `
    import { readlinkSync } from 'node:fs';
    import { getPriority } from 'node:os';
    import { parentPort } from 'node:worker_threads';
    import { lowerPriority } from ${module};
    lowerPriority(${argument});
    parentPort.postMessage(getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))));`;
  const before = getPriority();
  const worker = startThread(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  const [nice] = (await once(worker, 'message')) as [number];
  expect([nice, getPriority()]).toEqual([expected, before]);
});
