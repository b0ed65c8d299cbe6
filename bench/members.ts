import { join } from 'node:path';
import pg from 'pg';
import { wordnetSchema } from '../samples/wordnet/schema.ts';
import { READS_ENDPOINT } from './endpoint-code.ts';
import { smallCommits } from './graph.ts';
import type { LoadResult } from './load.ts';
import { latenciesInTurns, median } from './measure.ts';
import { type Committed, MEASURED, runClient } from './replication.ts';
import type { Report } from './report.ts';
import { type BenchServer, post, putSchema, startServer, untilIndexed } from './server.ts';
import { SharedLog } from './shared-log.ts';

const SECONDS = 6;
const ROUNDS = 3;
const WRITERS = 64;
/** About what one small commit adds to the log. */
const COMMIT_BYTES = 400;

interface Servers {
  /** With its log in its folder. */
  readonly alone: BenchServer;
  readonly primary: BenchServer;
  readonly follower: BenchServer;
}

/** A workspace with its log in PostgreSQL, which waits for a standby, against one in a folder. */
export async function benchMembers(report: Report): Promise<void> {
  await using shared = await SharedLog.start();
  await using alone = await startServer(join(shared.folder, 'alone'), 'wordnet');
  await using primary = await shared.member('one', 'wordnet');
  await using follower = await shared.member('two');
  const servers = { alone, primary, follower };
  for (const server of [alone, primary]) {
    const { nodes, edges } = wordnetSchema;
    await putSchema(server, { nodes: [...nodes, ...MEASURED.nodes], edges });
    const endpoint = { name: 'reads', code: READS_ENDPOINT, isReadOnly: true };
    await post(server, '/api/endpoints/create', endpoint);
  }
  for (const server of Object.values(servers)) await untilIndexed(server);
  await benchReads(report, servers);
  await benchOneWriter(report, servers, shared);
  await benchWriters(report, servers);
  await benchLag(report, servers);
  await benchIngest(report, servers);
}

async function benchReads(report: Report, { alone, follower }: Servers): Promise<void> {
  const [one, other] = await inTurns(
    () => reads(alone),
    () => reads(follower),
  );
  report.add({
    what: 'reads on a follower',
    ours: `${Math.round(other)} calls/s`,
    others: [`a server with its log in its folder ${Math.round(one)} calls/s`],
    ratio: (other / one).toFixed(2),
    target: '0.95',
    reached: other / one >= 0.95,
  });
}

/** In process, as the one durable commit of a log in a folder; and over HTTP, with all that is. */
async function benchOneWriter(
  report: Report,
  { alone, primary }: Servers,
  shared: SharedLog,
): Promise<void> {
  const [ours, bare] = await commitMs(shared);
  const overHttp = async (server: BenchServer): Promise<number> =>
    (await commits(server, { nodes: 1, connections: 1 })).time.p50;
  const [one, other] = await inTurns(
    () => overHttp(alone),
    () => overHttp(primary),
  );
  report.add({
    what: 'one writer of small commits, p50, over a commit of PostgreSQL itself',
    ours: `${ours.toFixed(2)} ms; over HTTP ${other.toFixed(2)} ms`,
    others: [
      `a row of ${COMMIT_BYTES} bytes in PostgreSQL ${bare.toFixed(2)} ms`,
      `over HTTP, a server with its log in its folder ${one.toFixed(2)} ms`,
    ],
    ratio: `${(ours - bare).toFixed(2)} ms more`,
    target: 'at most 2 ms',
    reached: ours - bare <= 2,
  });
}

/** Of a commit of another workspace in the same PostgreSQL, and of a row in a table there. */
async function commitMs(shared: SharedLog): Promise<readonly [number, number]> {
  await using writer = await shared.writer('writer');
  await using database = await BareDatabase.open(shared.pair.primaryUrl());
  const one = smallCommits(writer, 'one');
  const [ours, bare] = await latenciesInTurns(one, () => database.commit());
  return [ours.p50 / 1_000, bare.p50 / 1_000];
}

async function benchWriters(report: Report, { alone, primary }: Servers): Promise<void> {
  const rate = async (server: BenchServer): Promise<number> =>
    (await commits(server, { nodes: 1, connections: WRITERS })).commitsPerSecond;
  const [one, other] = await inTurns(
    () => rate(alone),
    () => rate(primary),
  );
  report.add({
    what: `${WRITERS} writers of small commits`,
    ours: `${Math.round(other)} commits/s`,
    others: [`a server with its log in its folder ${Math.round(one)} commits/s`],
    ratio: (other / one).toFixed(2),
    target: '0.4',
    reached: other / one >= 0.4,
  });
}

async function benchLag(report: Report, { primary, follower }: Servers): Promise<void> {
  const top = await commits(primary, {});
  const rate = top.commitsPerSecond / 2;
  const { lag } = await commits(primary, { rate, follower });
  report.add({
    what: 'from acknowledgement to visibility on a follower, p99, at half of the top speed',
    ours: `${lag.p99.toFixed(1)} ms (p50 ${lag.p50.toFixed(1)} ms)`,
    others: [`${Math.round(rate)} commits of 100 nodes a second, each a request`],
    ratio: (lag.p99 / 50).toFixed(2),
    target: 'below 50 ms',
    reached: lag.p99 < 50,
  });
}

async function benchIngest(report: Report, { alone, primary }: Servers): Promise<void> {
  const rate = async ({ url, token }: BenchServer): Promise<number> =>
    Number(await runClient('ingest-client.ts', [url, String(SECONDS)], token));
  const [one, other] = await inTurns(
    () => rate(alone),
    () => rate(primary),
  );
  report.add({
    what: 'ingest of WordNet as one stream',
    ours: `${other.toFixed(2)} loads/s`,
    others: [`a server with its log in its folder ${one.toFixed(2)} loads/s`],
    ratio: (other / one).toFixed(2),
    target: '0.6',
    reached: other / one >= 0.6,
  });
}

/**
 * The median of each, measured one after the other in rounds: noise hits both. What comes first is
 * not counted, in which code is compiled and a follower that has just joined counts its edges.
 */
async function inTurns(
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<readonly [number, number]> {
  await first();
  await second();
  const found: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    found[0].push(await first());
    found[1].push(await second());
  }
  return [median(found[0]), median(found[1])];
}

interface Committing {
  readonly rate?: number;
  readonly follower?: BenchServer;
  readonly nodes?: number;
  readonly connections?: number;
}

async function commits(
  { url, token }: BenchServer,
  { rate = 0, follower, nodes = 100, connections = 8 }: Committing,
): Promise<Committed> {
  const numbers = [nodes, connections].map(String);
  const args = [url, String(SECONDS), String(rate), follower?.url ?? '', ...numbers];
  return JSON.parse(await runClient('commit-client.ts', args, token));
}

async function reads({ url, token }: BenchServer): Promise<number> {
  const answer = await runClient('read-client.ts', [`${url}/api/endpoints/run/reads`], token);
  const result: LoadResult = JSON.parse(answer);
  return result.requestsPerSecond;
}

/** A table in the same PostgreSQL, which waits for the same standby. */
class BareDatabase implements AsyncDisposable {
  readonly #client: pg.Client;
  readonly #body = Buffer.alloc(COMMIT_BYTES, 1);

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<BareDatabase> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('create table bare (id bigserial primary key, body bytea)');
    return new BareDatabase(client);
  }

  async commit(): Promise<void> {
    const text = 'insert into bare (body) values ($1)';
    await this.#client.query({ name: 'bare', text, values: [this.#body] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}
