import { readWordnet } from './wordnet.ts';

/**
 * `node ingest-client.ts <url> <seconds>`, the token on standard input: ingests WordNet over and
 * over, with new keys each time, and prints the loads a second. A process of its own, as a
 * connector is: what it spends on its text is not a wait of who reads.
 */
const [url = '', seconds = ''] = process.argv.slice(2);
process.stdin.setEncoding('utf8');
let token = '';
for await (const text of process.stdin) token += text;

const lines = readWordnet().operations.map((operation) => JSON.stringify(operation));
const text = lines.join('\n');
const started = performance.now();
let loads = 0;
do {
  await ingest(text.replaceAll('"key":"', `"key":"${loads} `));
  loads++;
} while (performance.now() - started < Number(seconds) * 1_000);
process.stdout.write(`${loads / ((performance.now() - started) / 1_000)}\n`);

async function ingest(body: string): Promise<void> {
  const response = await fetch(`${url}/api/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${token}` },
    body,
  });
  if (!response.ok) throw new Error(`ingest: ${response.status} ${await response.text()}`);
}
