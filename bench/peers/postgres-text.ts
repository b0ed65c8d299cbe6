import { spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnalysedText } from './sqlite-text.ts';

/** Where Debian and Ubuntu have the programs of a server, by version. */
const INSTALLED = '/usr/lib/postgresql';
const SETTINGS = {
  listen_addresses: "''",
  fsync: 'off',
  autovacuum: 'off',
  shared_buffers: '512MB',
  work_mem: '64MB',
  maintenance_work_mem: '512MB',
  max_wal_size: '8GB',
  max_parallel_workers_per_gather: '0',
};

/** The programs of the newest PostgreSQL on this machine. */
export function installedPostgres(): string | undefined {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED) : [];
  return versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(INSTALLED, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')));
}

/**
 * Full text search of a PostgreSQL server that is started for it, in a temporary folder and on a
 * Unix socket. Texts are analysed already, and indexed by GIN. `ts_rank` knows nothing of how rare
 * a word is; its order is another than that of BM25. Times are those that psql has for one prepared
 * statement after the other.
 */
export class PostgresText implements Disposable {
  readonly #bin: string;
  readonly #folder: string;
  readonly #user: { readonly uid?: number; readonly gid?: number };
  readonly #namesBoost: number;
  #lines: string[] = [];

  /**
   * `bin` is the folder of its programs. A server refuses to run as root: then it is the user of
   * the package's.
   */
  constructor(bin: string, namesBoost: number) {
    this.#bin = bin;
    this.#namesBoost = namesBoost;
    this.#folder = mkdtempSync(join(tmpdir(), 'trellis-bench-postgres-'));
    this.#user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
    const { uid, gid } = this.#user;
    if (uid !== undefined && gid !== undefined) chownSync(this.#folder, uid, gid);
    const data = join(this.#folder, 'data');
    this.#run('initdb', ['-D', data, '-A', 'trust', '-U', 'bench', '-E', 'UTF8', '--no-locale']);
    const settings = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`);
    const options = [`-k ${this.#folder}`, ...settings].join(' ');
    const log = join(this.#folder, 'log');
    this.#run('pg_ctl', ['-D', data, '-l', log, '-w', '-o', options, 'start']);
    this.#psql('CREATE TABLE texts (node int, words tsvector);');
  }

  /** Only written down: `finish` copies all of them. */
  add(node: number, { names, gloss }: AnalysedText): void {
    const title = lexemes(names, 'A', 1);
    const words = [...title, ...lexemes(gloss, 'D', title.length + 2)];
    this.#lines.push(`${node}\t${words.join(' ').replaceAll('\\', '\\\\')}\n`);
  }

  finish(): void {
    const file = join(this.#folder, 'texts');
    for (let from = 0; from < this.#lines.length; from += 10_000) {
      appendFileSync(file, this.#lines.slice(from, from + 10_000).join(''));
    }
    this.#lines = [];
    this.#psql(`\\copy texts FROM '${file}'
      CREATE INDEX ON texts USING gin (words) WITH (fastupdate = off);
      ALTER TABLE texts ADD PRIMARY KEY (node);
      VACUUM ANALYZE texts;`);
  }

  counts(queries: readonly string[]): number[] {
    const counts = queries.map(
      (query) => `SELECT count(*) FROM texts WHERE words @@ ${quoted(query)}::tsquery;`,
    );
    return this.#psql(counts.join('\n')).split('\n').filter(Boolean).map(Number);
  }

  /** Microseconds for each query, as a `tsquery`, of each round but the first. */
  searchTimes(queries: readonly string[], limit: number, rounds: number): number[] {
    const rest = 1 / this.#namesBoost;
    const round = queries.map((query) => `EXECUTE best (${quoted(query)});`).join('\n');
    const output = this.#psql(`
      PREPARE best (tsquery) AS SELECT node FROM texts WHERE words @@ $1
        ORDER BY ts_rank('{${rest}, ${rest}, ${rest}, 1}', words, $1) DESC LIMIT ${limit};
      \\o /dev/null
      \\timing on
      ${Array.from({ length: rounds + 1 }, () => round).join('\n')}`);
    const times = [...output.matchAll(/^Time: ([0-9.]+) ms/gm)].map(([, ms]) => Number(ms) * 1_000);
    return times.slice(queries.length);
  }

  [Symbol.dispose](): void {
    this.#run('pg_ctl', ['-D', join(this.#folder, 'data'), '-m', 'immediate', 'stop']);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #psql(input: string): string {
    const target = ['-h', this.#folder, '-U', 'bench', '-d', 'postgres'];
    return this.#run('psql', [...target, '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'], input);
  }

  #run(program: string, args: readonly string[], input = ''): string {
    const ran = spawnSync(join(this.#bin, program), args, {
      ...this.#user,
      input,
      cwd: this.#folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      // What pg_ctl starts would keep a pipe open.
      stdio: program === 'pg_ctl' ? 'ignore' : 'pipe',
    });
    if (ran.status === 0) return ran.stdout ?? '';
    throw new Error(`${program}: ${ran.error?.message ?? ran.stderr ?? `status ${ran.status}`}`);
  }
}

function idOf(option: '-u' | '-g'): number {
  return Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout);
}

/**
 * Words that are separated by a space, as a `tsvector` is written: with their places and a weight.
 */
function lexemes(text: string, weight: 'A' | 'D', first: number): string[] {
  const words = text === '' ? [] : text.split(' ');
  return words.map((word, i) => `${lexeme(word)}:${first + i}${weight}`);
}

export function lexeme(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
