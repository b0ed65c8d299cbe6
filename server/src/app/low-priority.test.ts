import { once } from 'node:events';
import { getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { startThread } from './start-thread.ts';

it('lowers that of the thread alone', async () => {
  const module = JSON.stringify(new URL('./low-priority.ts', import.meta.url));
  const code = `
    import { readlinkSync } from 'node:fs';
    import { getPriority } from 'node:os';
    import { parentPort } from 'node:worker_threads';
    import { lowerPriority } from ${module};
    lowerPriority();
    parentPort.postMessage(getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))));`;
  const before = getPriority();
  const worker = startThread(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  const [nice] = (await once(worker, 'message')) as [number];
  expect([nice, getPriority()]).toEqual([10, before]);
});
