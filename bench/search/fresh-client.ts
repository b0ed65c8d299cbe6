import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../measure.ts';

/**
 * `node fresh-client.ts <url> <seconds> <commits a second>`, the token on standard input: commits
 * one node after the other, each with a word of its own, and asks for that word as soon as the
 * commit is acknowledged, until it is found. Prints JSON, in milliseconds.
 */
const PAUSE_MS = 2;
const WAIT_MS_MAX = 30_000;

const [url = '', seconds = '', rate = ''] = process.argv.slice(2);
process.stdin.setEncoding('utf8');
let token = '';
for await (const text of process.stdin) token += text;

const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
const lags: number[] = [];
const started = performance.now();
for (let number = 0; performance.now() - started < Number(seconds) * 1_000; number++) {
  await sleep(Math.max(0, started + (number / Number(rate)) * 1_000 - performance.now()));
  const word = `fresh${process.pid}x${number}`;
  const fields = { Name: `a ${word} node` };
  await post('/api/ingest', {
    operations: [{ op: 'addOrUpdate', type: 'Measured', key: word, fields }],
  });
  const acknowledged = performance.now();
  while (!(await isFound(word))) {
    if (performance.now() - acknowledged > WAIT_MS_MAX) throw new Error(`${word} is never found`);
    await sleep(PAUSE_MS);
  }
  lags.push(performance.now() - acknowledged);
}
lags.sort((a, b) => a - b);
const result = { count: lags.length, p50: percentile(lags, 0.5), p99: percentile(lags, 0.99) };
process.stdout.write(`${JSON.stringify(result)}\n`);

async function isFound(word: string): Promise<boolean> {
  const answer = await post('/api/cce/system/search', { query: word, fuzziness: 0, take: 1 });
  return Object(JSON.parse(answer)).total > 0;
}

async function post(path: string, body: unknown): Promise<string> {
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text;
}
