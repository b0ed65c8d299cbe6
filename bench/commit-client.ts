import { setTimeout as sleep } from 'node:timers/promises';
import { latencyOf } from './measure.ts';

/**
 * `node commit-client.ts <url> <seconds> <commits a second, 0 for as many as it goes> [<url of a
 * replica> [<nodes of a commit> [<connections>]]]`, the token on standard input: commits of 100
 * nodes each, in a process of its own. With a replica it asks there for each tenth commit as soon
 * as it is acknowledged, and waits until it is visible. Prints JSON.
 */
const ASKED_EACH = 10;

const [url = '', seconds = '', rate = '', replica = '', nodes = '100', connections = '8'] =
  process.argv.slice(2);
process.stdin.setEncoding('utf8');
let token = '';
for await (const text of process.stdin) token += text;

const authorization = `Bearer ${token}`;
const lags: number[] = [];
const times: number[] = [];
const asking: Promise<void>[] = [];
const started = performance.now();
const until = started + Number(seconds) * 1_000;
let commits = 0;

async function commit(number: number): Promise<void> {
  const operations = Array.from({ length: Number(nodes) }, (_, i) => ({
    op: 'addOrUpdate',
    type: 'Measured',
    key: `${process.pid} ${number} ${i}`,
    fields: { Name: `measured ${i} of ${number}`, Number: i },
  }));
  const sent = performance.now();
  const response = await fetch(`${url}/api/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ operations }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`ingest: ${response.status} ${text}`);
  commits++;
  times.push(performance.now() - sent);
  if (replica !== '' && number % ASKED_EACH === 0) asking.push(ask(JSON.parse(text).sequence));
}

async function ask(sequence: number): Promise<void> {
  const acknowledged = performance.now();
  const headers = { authorization, 'x-msk-min-sequence': String(sequence) };
  const response = await fetch(`${replica}/api/login/check`, { headers });
  await response.text();
  if (!response.ok) throw new Error(`the replica answers ${response.status}`);
  lags.push(performance.now() - acknowledged);
}

/** Each takes the next number, and waits until it is its turn. */
let next = 0;
await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    while (performance.now() < until) {
      const number = next++;
      if (Number(rate) > 0) {
        await sleep(Math.max(0, started + (number / Number(rate)) * 1_000 - performance.now()));
      }
      await commit(number);
    }
  }),
);
const spent = (performance.now() - started) / 1_000;
await Promise.all(asking);
const result = { commitsPerSecond: commits / spent, lag: latencyOf(lags), time: latencyOf(times) };
process.stdout.write(`${JSON.stringify(result)}\n`);
