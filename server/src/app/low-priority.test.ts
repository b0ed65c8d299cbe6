import { once } from 'node:events';
import { getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { PRIORITY } from './low-priority.ts';
import { startThread } from './start-thread.ts';

it.each(Object.values(PRIORITY))('lowers that of the thread alone, to %i', async (wanted) => {
  const module = JSON.stringify(new URL('./low-priority.ts', import.meta.url));
  const code = `
    import { readlinkSync } from 'node:fs';
    import { getPriority } from 'node:os';
    import { parentPort } from 'node:worker_threads';
    import { lowerPriority } from ${module};
    lowerPriority(${wanted});
    parentPort.postMessage(getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))));`;
  const before = getPriority();
  const worker = startThread(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  const [nice] = (await once(worker, 'message')) as [number];
  expect([nice, getPriority()]).toEqual([wanted, before]);
});
