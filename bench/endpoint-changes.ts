import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchEndpointBundles } from './endpoint-bundles.ts';
import { load, type LoadResult } from './load.ts';
import { percentile, timed } from './measure.ts';
import type { Report } from './report.ts';
import { putSchema, startServer, type BenchServer } from './server.ts';

const SAVES = 100;
/** Not counted: the compiler starts with the first. */
const FIRST_SAVES = 10;
const ENDPOINTS = 1_000;
const CREATED_AT_ONCE = 8;
const LOAD_SECONDS = 6;
const TARGETS = { saved: 50, checkedSeconds: 10, latency: 2 };
const schemaWith = (fields: Readonly<Record<string, string>>): unknown => ({
  nodes: [{ type: 'Item', key: 'Name', fields }],
  edges: [],
});

/** What it costs to change endpoints, and the schema that they are compiled against. */
export async function benchEndpointChanges(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    await using server = await startServer(join(folder, 'storage'), 'none');
    await putSchema(server, schemaWith({ Size: 'Int' }));
    const client = new TrellisClient({ baseUrl: server.url, token: server.token });
    await benchSaved(report, client);
    await benchRecheck(report, server, client);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  await benchEndpointBundles(report);
}

/** From the request that saves code until a call has been answered by it. */
async function benchSaved(report: Report, client: TrellisClient): Promise<void> {
  await client.endpoints.create({ name: 'saved', code: answering(-1) });
  const times: number[] = [];
  for (let i = 0; i < FIRST_SAVES + SAVES; i++) {
    const { seconds } = await timed(async () => {
      await client.endpoints.put('saved', { code: answering(i) });
      const answer = await client.endpoints.run('saved');
      if (answer !== i) throw new Error('an older version of the code answered');
    });
    if (i >= FIRST_SAVES) times.push(seconds * 1_000);
  }
  times.sort((one, other) => one - other);
  const p99 = percentile(times, 0.99);
  report.add({
    what: 'code of an endpoint saved: checked, compiled, loaded by all workers, and called',
    ours: `p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    others: [],
    ratio: '-',
    target: `${TARGETS.saved} ms`,
    reached: p99 <= TARGETS.saved,
  });
}

/** All of them against a changed schema, while one is called at a steady rate. */
async function benchRecheck(
  report: Report,
  server: BenchServer,
  client: TrellisClient,
): Promise<void> {
  for (let from = 0; from < ENDPOINTS; from += CREATED_AT_ONCE) {
    const names = Array.from({ length: CREATED_AT_ONCE }, (_, i) => `e${from + i}`);
    await Promise.all(names.map((name) => create(client, name)));
  }
  await callsOf(server);
  const alone = await callsOf(server);
  const during = callsOf(server);
  const checked = timed(async () => {
    await putSchema(server, schemaWith({ Size: 'Int', Colour: 'String' }));
    const { items } = await client.jobs.list({ kind: 'endpoint-recheck', take: 1 });
    for await (const _event of client.jobs.watch(items[0]!.id));
  });
  const [{ p99 }, { seconds }] = [await during, await checked];
  report.add({
    what: `${ENDPOINTS} endpoints checked against a changed schema`,
    ours: `${seconds.toFixed(1)} s`,
    others: [],
    ratio: '-',
    target: `${TARGETS.checkedSeconds} s`,
    reached: seconds <= TARGETS.checkedSeconds,
  });
  report.add({
    what: 'calls of an endpoint meanwhile, p99',
    ours: `${p99.toFixed(1)} ms`,
    others: [`alone ${alone.p99.toFixed(1)} ms`],
    ratio: (p99 / alone.p99).toFixed(2),
    target: `at most ${TARGETS.latency}`,
    reached: p99 / alone.p99 <= TARGETS.latency,
  });
}

function answering(number: number): string {
  return `export default async function () { return ${number}; }`;
}

async function create(client: TrellisClient, name: string): Promise<void> {
  const code = `
export default async function ({ graph }: Scope) {
  const item = await graph.tryGet('Item', '${name}');
  return { size: item?.Size ?? 0 };
}
`;
  await client.endpoints.create({ name, code });
}

function callsOf(server: BenchServer): Promise<LoadResult> {
  return load({
    url: `${server.url}/api/endpoints/run/e0`,
    token: server.token,
    body: {},
    connections: 8,
    seconds: LOAD_SECONDS,
    pauseMs: 20,
  });
}
