/**
 * The process that a crash test kills. It appends to the log in the folder of its first argument,
 * sixteen commits at a time. It prints `last sequence, payload` of each after the commit was
 * acknowledged.
 */
import { writeSync } from 'node:fs';
import { systemClock } from '#base/clock.ts';
import { openSegmentLog } from '../segment-log.ts';

const folder = process.argv[2]!;
const log = await openSegmentLog({
  folder,
  clock: systemClock,
  archive: { ttlMs: Infinity, bytesMax: Infinity },
  segmentBytesMax: 50_000,
});
let commits = 0;

async function appendForEver(): Promise<never> {
  for (;;) {
    const id = `${process.pid}-${commits++}`;
    const count = 1 + (commits % 5);
    const last = await log.append(count, Buffer.from(id.padEnd(commits % 700, ' ')));
    writeSync(1, `${last} ${id}\n`);
  }
}

await Promise.all(Array.from({ length: 16 }, appendForEver));
