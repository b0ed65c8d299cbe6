import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { TRELLIS_MAIN, putSchema, startServer, untilIndexed, type BenchServer } from './server.ts';
import { timed } from './measure.ts';
import type { Report } from './report.ts';

const RECORDS = Number(process.env['TRELLIS_BENCH_RECORDS'] ?? 1_000_000);
const ROUNDS = 2;
const TARGET = 0.7;
const INGEST_TARGET = 150_000;
/** Loads into one server, for what the last takes against the first. */
const PARTS = 4;
const GROWTH_TARGET = 0.8;
const MEMORY_TARGET = 2;
/** Rows that are written to the files at a time. */
const ROWS_AT_ONCE = 10_000;
const FIELDS = { Name: 'String', Age: 'Int', City: 'String', Joined: 'Time', Note: 'String' };
const TYPES = 'Age:Int,Joined:Time';
const SCHEMA = { nodes: [{ type: 'Person', key: 'Email', fields: FIELDS }], edges: [] };

interface Files {
  readonly csv: string;
  /** The operations that the import makes of the rows. */
  readonly ndjson: string;
}

/**
 * `trellis import csv` against one request with the same nodes as operations, each into an empty
 * server of its own; the rate of that ingestion; how it goes on as the graph grows, and the memory
 * that it leaves. `TRELLIS_BENCH_RECORDS` makes it shorter than the million of the target.
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
    report.add({
      what: `ingestion of ${RECORDS} records over HTTP`,
      ours: rate(best.ingest),
      others: [],
      ratio: (RECORDS / best.ingest / INGEST_TARGET).toFixed(2),
      target: `${INGEST_TARGET} records/s`,
      reached: RECORDS / best.ingest >= INGEST_TARGET,
    });
    await benchLargeLoad(report, join(folder, 'large'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * One load after another into the same server: what the last takes against the first, and the
 * memory that the server has a minute later against what it has after a restart.
 */
async function benchLargeLoad(report: Report, storage: string): Promise<void> {
  const seconds: number[] = [];
  const memory: number[] = [];
  {
    await using server = await startServer(storage, 'none');
    await putSchema(server, SCHEMA);
    for (let part = 0; part < PARTS; part++) {
      seconds.push((await timed(() => ingestBody(server, bodyOf(part * RECORDS)))).seconds);
    }
    memory.push(await anonymousMb(server.pid));
    await untilIndexed(server);
    await setTimeout(60_000);
    memory.push(await anonymousMb(server.pid));
  }
  await using server = await startServer(storage, 'none');
  await untilIndexed(server);
  memory.push(await anonymousMb(server.pid));
  const [first = NaN, last = NaN] = [seconds[0], seconds.at(-1)];
  const rate = (taken: number): string => `${Math.round(RECORDS / taken)} records/s`;
  report.add({
    what: `the last of ${PARTS} loads of ${RECORDS} records over HTTP against the first`,
    ours: rate(last),
    others: [`the first ${rate(first)}`],
    ratio: (first / last).toFixed(2),
    target: String(GROWTH_TARGET),
    reached: first / last >= GROWTH_TARGET,
  });
  const [loaded = NaN, later = NaN, restarted = NaN] = memory;
  report.add({
    what: 'memory a minute after these loads, without mapped files',
    ours: `${later} MB`,
    others: [`at their end ${loaded} MB`, `after a restart ${restarted} MB`],
    ratio: `${(later / restarted).toFixed(2)} of a restart's`,
    target: `at most ${MEMORY_TARGET}`,
    reached: later / restarted <= MEMORY_TARGET,
  });
}

/** What a process has that is not from files, which the system can take back (Linux). */
async function anonymousMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^RssAnon:\s*(\d+)/m.exec(status)?.[1]) / 1_024);
}

/** The operations of `RECORDS` records from number `from` on. */
function bodyOf(from: number): Readable {
  const text = function* (): Iterable<Buffer> {
    for (let at = 0; at < RECORDS; at += 1_000) {
      const lines = Array.from({ length: Math.min(1_000, RECORDS - at) }, (_, i) =>
        operationOf(from + at + i),
      );
      yield Buffer.from(lines.join(''));
    }
  };
  return Readable.from(text());
}

/** Seconds of one way to load, into a server that has nothing but the type. */
async function load(
  storage: string,
  files: Files,
  how: (server: BenchServer, files: Files) => Promise<void>,
): Promise<number> {
  try {
    await using server = await startServer(storage, 'none');
    await putSchema(server, SCHEMA);
    await untilIndexed(server);
    const { seconds } = await timed(() => how(server, files));
    return seconds;
  } finally {
    await rm(storage, { recursive: true, force: true });
  }
}

function ingest(server: BenchServer, { ndjson }: Files): Promise<void> {
  return ingestBody(server, createReadStream(ndjson, { highWaterMark: 256 * 1024 }));
}

async function ingestBody({ url, token }: BenchServer, body: Readable): Promise<void> {
  const response = await fetch(`${url}/api/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${token}` },
    body: Readable.toWeb(body) as ReadableStream,
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
