import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { TRELLIS_MAIN, putSchema, startServer, untilIndexed, type BenchServer } from './server.ts';
import { timed } from './measure.ts';
import type { Report } from './report.ts';

const RECORDS = Number(process.env['TRELLIS_BENCH_RECORDS'] ?? 1_000_000);
const ROUNDS = 2;
const TARGET = 0.7;
/** Rows that are written to the files at a time. */
const ROWS_AT_ONCE = 10_000;
const FIELDS = { Name: 'String', Age: 'Int', City: 'String', Joined: 'Time', Note: 'String' };
const TYPES = 'Age:Int,Joined:Time';

interface Files {
  readonly csv: string;
  /** The operations that the import makes of the rows. */
  readonly ndjson: string;
}

/**
 * `trellis import csv` against one request with the same nodes as operations, each into an empty
 * server of its own. `TRELLIS_BENCH_RECORDS` makes it shorter than the million of the target.
 */
export async function benchImport(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    const files = { csv: join(folder, 'people.csv'), ndjson: join(folder, 'people.ndjson') };
    await writeFiles(files);
    const best = { ingest: Infinity, csv: Infinity };
    for (let round = 0; round < ROUNDS; round++) {
      const into = (name: string) => join(folder, `${name}-${round}`);
      best.ingest = Math.min(best.ingest, await load(into('ingest'), files, ingest));
      best.csv = Math.min(best.csv, await load(into('csv'), files, importCsv));
    }
    const rate = (seconds: number): string => `${Math.round(RECORDS / seconds)} records/s`;
    const ratio = best.ingest / best.csv;
    report.add({
      what: `the import of ${RECORDS} records from CSV, against their ingestion as NDJSON`,
      ours: rate(best.csv),
      others: [`ingestion ${rate(best.ingest)}`],
      ratio: ratio.toFixed(2),
      target: String(TARGET),
      reached: ratio >= TARGET,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Seconds of one way to load, into a server that has nothing but the type. */
async function load(
  storage: string,
  files: Files,
  how: (server: BenchServer, files: Files) => Promise<void>,
): Promise<number> {
  try {
    await using server = await startServer(storage, 'none');
    await putSchema(server, {
      nodes: [{ type: 'Person', key: 'Email', fields: FIELDS }],
      edges: [],
    });
    await untilIndexed(server);
    const { seconds } = await timed(() => how(server, files));
    return seconds;
  } finally {
    await rm(storage, { recursive: true, force: true });
  }
}

async function ingest({ url, token }: BenchServer, { ndjson }: Files): Promise<void> {
  const response = await fetch(`${url}/api/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${token}` },
    body: Readable.toWeb(createReadStream(ndjson, { highWaterMark: 256 * 1024 })) as ReadableStream,
    duplex: 'half',
  });
  if (!response.ok) throw new Error(`ingest: ${response.status} ${await response.text()}`);
  expectAll(await response.json());
}

/** The command as people run it, with its start. */
async function importCsv({ url, token }: BenchServer, { csv }: Files): Promise<void> {
  const args = ['import', 'csv', csv, '--type', 'Person', '--key', 'Email', '--types', TYPES];
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', TRELLIS_MAIN, ...args, '--json', '--server', url],
    {
      env: { ...process.env, TRELLIS_TOKEN: token, HOME: join(csv, '..') },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const closed = once(child, 'close');
  let output = '';
  for await (const text of child.stdout.setEncoding('utf8')) output += text;
  const [code] = await closed;
  if (code !== 0) throw new Error(`trellis import ended with ${code}`);
  expectAll(JSON.parse(output));
}

function expectAll(summary: unknown): void {
  const { nodes } = Object(summary);
  if (nodes !== RECORDS) throw new Error(`${nodes} of ${RECORDS} records were loaded`);
}

async function writeFiles({ csv, ndjson }: Files): Promise<void> {
  await using rows = await open(csv, 'w');
  await using operations = await open(ndjson, 'w');
  await rows.write('Email,Name,Age,City,Joined,Note\n');
  for (let from = 0; from < RECORDS; from += ROWS_AT_ONCE) {
    const numbers = Array.from(
      { length: Math.min(ROWS_AT_ONCE, RECORDS - from) },
      (_, i) => from + i,
    );
    await rows.write(numbers.map(rowOf).join(''));
    await operations.write(numbers.map(operationOf).join(''));
  }
}

/** Every third note has commas, and needs quotes. */
function person(i: number) {
  const joined = new Date(1.6e12 + i * 60_000).toISOString();
  const note = i % 3 === 0 ? `met in ${i % 97}, "twice", wrote since` : `number ${i * 7_919}`;
  return { Name: `Person ${i}`, Age: i % 90, City: `City ${i % 500}`, Joined: joined, Note: note };
}

function rowOf(i: number): string {
  const { Name, Age, City, Joined, Note } = person(i);
  const note = Note.includes('"') ? `"${Note.replaceAll('"', '""')}"` : Note;
  return `${keyOf(i)},${Name},${Age},${City},${Joined},${note}\n`;
}

function operationOf(i: number): string {
  const operation = { op: 'addOrUpdate', type: 'Person', key: keyOf(i), fields: person(i) };
  return `${JSON.stringify(operation)}\n`;
}

function keyOf(i: number): string {
  return `person${i}@example.org`;
}
