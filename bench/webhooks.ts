import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { Report } from './report.ts';
import { post, putSchema, startServer, type BenchServer } from './server.ts';

const COMMITS = Number(process.env['TRELLIS_BENCH_DELIVERIES'] ?? 20_000);
const COMMITS_IN_FLIGHT = 64;
const TARGET_A_SECOND = 1_000;

/**
 * Deliveries to one local receiver, each of a commit, one after the other. The receiver holds the
 * first one until all commits are made, so that no writing is measured.
 */
export async function benchWebhooks(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  await using receiver = await Receiver.listen();
  try {
    await using server = await startServer(join(folder, 'storage'), 'none');
    await putSchema(server, {
      nodes: [{ type: 'Item', key: 'Name', fields: { Size: 'Int' } }],
      edges: [],
    });
    const client = new TrellisClient({ baseUrl: server.url, token: server.token });
    await client.workspace.putSettings({ fetchAllowList: [receiver.url] });
    await client.webhooks.create({ name: 'bench', url: `${receiver.url}/changes` });
    await commitAll(server);
    const seconds = await receiver.released(COMMITS);
    const rate = COMMITS / seconds;
    report.add({
      what: `${COMMITS} deliveries of a webhook to a local receiver, one after the other`,
      ours: `${rate.toFixed(0)} a second`,
      others: [],
      ratio: '-',
      target: `${TARGET_A_SECOND} a second, in the order of the commits`,
      reached: rate >= TARGET_A_SECOND && receiver.isInOrder,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function commitAll(server: BenchServer): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: COMMITS_IN_FLIGHT }, async () => {
      while (next < COMMITS) {
        const item = { type: 'Item', key: `i${next}`, fields: { Size: next++ } };
        await post(server, '/api/ingest', { operations: [{ op: 'addOrUpdate', ...item }] });
      }
    }),
  );
}

class Receiver implements AsyncDisposable {
  readonly url: string;
  isInOrder = true;
  readonly #held = Promise.withResolvers<void>();
  readonly #done = Promise.withResolvers<void>();
  readonly #stop: () => void;
  #count = 0;
  #wanted = Infinity;
  #sequence = 0;

  private constructor(url: string, stop: () => void) {
    this.url = url;
    this.#stop = stop;
  }

  static async listen(): Promise<Receiver> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const receiver = new Receiver(`http://127.0.0.1:${port}`, () => {
      server.close();
      server.closeAllConnections();
    });
    server.on('request', async (request, response) => {
      receiver.#take(Number(Object(await json(request)).sequence));
      await receiver.#held.promise;
      response.writeHead(204).end();
      if (receiver.#count >= receiver.#wanted) receiver.#done.resolve();
    });
    return receiver;
  }

  /** How long it takes until so many have come in all. */
  async released(count: number): Promise<number> {
    this.#wanted = count;
    const started = performance.now();
    this.#held.resolve();
    await this.#done.promise;
    return (performance.now() - started) / 1_000;
  }

  #take(sequence: number): void {
    this.isInOrder &&= sequence > this.#sequence;
    this.#sequence = sequence;
    this.#count++;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
  }
}
