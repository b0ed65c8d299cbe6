import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RDF } from '@trellis/contract/rdf-terms.ts';
import { median } from './measure.ts';
import type { Report } from './report.ts';
import { post, startServer, untilIndexed, type BenchServer } from './server.ts';

/** The type of the sample with the most nodes that have texts. */
const TYPE = 'Synset';
const ROUNDS = 5;
/** Share of the rate of SQLite, which has no access to check and no edges to count. */
const SHARE_MIN = 0.25;
/** Share of the rate of the download as JSON lines, of nodes and edges as N-Quads. */
const QUADS_SHARE_MIN = 0.5;

/** Rows a second of downloads, beside SQLite's that are read and made JSON in one process. */
export async function benchDownloads(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    await using server = await startServer(join(folder, 'store'), 'wordnet');
    await untilIndexed(server);
    const { rows } = await download(server, 'jsonl');
    const table = sqliteOf(rows);
    const rates: Record<'csv' | 'jsonl' | 'sqlite' | 'quads', number[]> = {
      csv: [],
      jsonl: [],
      sqlite: [],
      quads: [],
    };
    for (let round = 0; round < ROUNDS; round++) {
      for (const form of ['csv', 'jsonl'] as const) {
        rates[form].push((await download(server, form)).rowsPerSecond);
      }
      rates.sqlite.push(exportRate(table));
      rates.quads.push(await quadsRate(server));
    }
    const sqlite = median(rates.sqlite);
    for (const form of ['csv', 'jsonl'] as const) {
      const ours = median(rates[form]);
      report.add({
        what: `download of ${rows.length} nodes as ${form}`,
        ours: `${Math.round(ours)} rows/s`,
        others: [`SQLite as JSON lines ${Math.round(sqlite)} rows/s`],
        ratio: (ours / sqlite).toFixed(2),
        target: String(SHARE_MIN),
        reached: ours / sqlite >= SHARE_MIN,
      });
    }
    const [quads, rowsAsJson] = [median(rates.quads), median(rates.jsonl)];
    report.add({
      what: 'export of the whole graph as N-Quads',
      ours: `${Math.round(quads)} nodes and edges/s`,
      others: [`download as JSON lines ${Math.round(rowsAsJson)} rows/s`],
      ratio: (quads / rowsAsJson).toFixed(2),
      target: String(QUADS_SHARE_MIN),
      reached: quads / rowsAsJson >= QUADS_SHARE_MIN,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Downloaded {
  readonly rowsPerSecond: number;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

async function download(server: BenchServer, form: 'csv' | 'jsonl'): Promise<Downloaded> {
  const started = performance.now();
  const response = await post(server, `/api/node/download/${form}`, { type: TYPE });
  const text = await response.text();
  const seconds = (performance.now() - started) / 1_000;
  const lines = text.split('\n').filter((line) => line !== '');
  return {
    rowsPerSecond: lines.length / seconds,
    rows: form === 'csv' ? [] : lines.map((line) => JSON.parse(line)),
  };
}

/** Nodes and edges a second: each has one time. */
async function quadsRate(server: BenchServer): Promise<number> {
  const started = performance.now();
  const response = await post(server, '/api/graph/export?format=nquads', {});
  const text = await response.text();
  const seconds = (performance.now() - started) / 1_000;
  return (text.split(RDF.timestamp).length - 1) / seconds;
}

function sqliteOf(rows: Downloaded['rows']): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  database.exec(`create table rows (${columns.map((name) => `"${name}"`).join(', ')})`);
  const insert = database.prepare(`insert into rows values (${columns.map(() => '?').join(', ')})`);
  database.exec('begin');
  for (const row of rows) insert.run(...columns.map((name) => storable(row[name])));
  database.exec('commit');
  return database;
}

function storable(value: unknown): string | number | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
}

function exportRate(database: DatabaseSync): number {
  const started = performance.now();
  let rows = 0;
  let bytes = 0;
  for (const row of database.prepare('select * from rows').iterate()) {
    rows++;
    bytes += Buffer.byteLength(`${JSON.stringify(row)}\n`);
  }
  if (bytes === 0) throw new Error('nothing was exported');
  return rows / ((performance.now() - started) / 1_000);
}
