import { once } from 'node:events';
import { getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { PRIORITY } from './low-priority.ts';
import { startThread } from './thread.ts';

it.each([
  ['', 10],
  [`${PRIORITY.low}`, 10],
  [`${PRIORITY.last}`, 19],
])('lowers that of the thread alone: lowerPriority(%s) to %i', async (argument, expected) => {
  const module = JSON.stringify(new URL('./low-priority.ts', import.meta.url));
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
