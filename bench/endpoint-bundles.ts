import { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { PackageBundle } from '@trellis/contract/shapes/package.ts';
import { bundlePackages } from '@trellis/server/packages/bundle-packages.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toPackageScript } from '../server/src/runtime/compile/package-script.ts';
import { openTestPool, type TestCall } from '../server/src/runtime/testing/test-pool.ts';
import { NpmFolder } from '../test/support/npm-folder.ts';
import { zipOf } from '../test/support/zip.ts';
import { median, percentile, timed } from './measure.ts';
import type { Report } from './report.ts';
import { startServer } from './server.ts';

const SAVES = 30;
/** Not counted: the compiler starts with the first. */
const FIRST_SAVES = 5;
/** All of it is one bundle of more than half a megabyte. */
const PACKAGE = 'zod';
const CODE_BYTES_MIN = 500_000;
const WORKERS = 5;
const CALLS_OF_A_WORKER = 200;
const TARGETS = { firstCallMs: 30, workerBytes: 10_000_000 };

/** What an endpoint with a large package costs: its first call after it was saved, and memory. */
export async function benchEndpointBundles(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    const bundle = await largeBundle();
    await benchMemory(report, bundle);
    await using server = await startServer(join(folder, 'storage'), 'none');
    const client = new TrellisClient({ baseUrl: server.url, token: server.token });
    const pushed = await firstCalls(client, (number) => push(client, bundle, number));
    addFirstCalls(report, 'pushed with a new version of it', pushed);
    const saved = await firstCalls(client, (number) =>
      client.endpoints.put('bundled', { code: codeOf(number) }),
    );
    addFirstCalls(report, 'saved', saved);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function largeBundle(): Promise<PackageBundle> {
  await using folder = await NpmFolder.with([PACKAGE]);
  const [found] = await bundlePackages(folder.path, [{ path: 'endpoints/a.ts', code: codeOf(0) }]);
  if (found === undefined || Buffer.byteLength(found.bundle.code) < CODE_BYTES_MIN) {
    throw new Error(`the bundle of ${PACKAGE} has become too small`);
  }
  return found.bundle;
}

const SHAPE = 'const shape = v.object({ pages: v.number().int() });';
const USE = 'shape.safeParse({ pages: 3 }).success';

function codeOf(number: number): string {
  return `import * as v from '${PACKAGE}';
${SHAPE}
export default async () => [${USE}, ${number}];
`;
}

/** Another text of the package with each number. */
async function push(client: TrellisClient, bundle: PackageBundle, number: number): Promise<void> {
  const zip = await zipOf({
    'manifest.json': '{"format": 1}',
    [`npm/${PACKAGE}.json`]: JSON.stringify({ ...bundle, code: `${bundle.code}\n// ${number}\n` }),
    'endpoints/bundled.ts': codeOf(number),
  });
  for await (const event of client.definitions.import(zip)) {
    if (event.kind === 'result' && event.result.applied) return;
  }
  throw new Error('the push was refused');
}

/** In milliseconds, in order. */
interface FirstCalls {
  readonly calls: readonly number[];
  readonly saves: readonly number[];
}

async function firstCalls(
  client: TrellisClient,
  save: (number: number) => Promise<unknown>,
): Promise<FirstCalls> {
  const [calls, saves]: [number[], number[]] = [[], []];
  for (let i = 1; i <= FIRST_SAVES + SAVES; i++) {
    const saved = await timed(() => save(i));
    const called = await timed(() => client.endpoints.run('bundled'));
    if (JSON.stringify(called.value) !== `[true,${i}]`) throw new Error('older code answered');
    if (i <= FIRST_SAVES) continue;
    saves.push(saved.seconds * 1_000);
    calls.push(called.seconds * 1_000);
  }
  return { calls: calls.toSorted((a, b) => a - b), saves: saves.toSorted((a, b) => a - b) };
}

function addFirstCalls(report: Report, how: string, { calls, saves }: FirstCalls): void {
  const p95 = percentile(calls, 0.95);
  report.add({
    what: `first call of an endpoint with a package of 0.6 MB that was ${how}`,
    ours: `p50 ${percentile(calls, 0.5).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms afterwards`,
    others: [`the saving itself p50 ${percentile(saves, 0.5).toFixed(1)} ms`],
    ratio: (p95 / TARGETS.firstCallMs).toFixed(2),
    target: `${TARGETS.firstCallMs} ms`,
    reached: p95 <= TARGETS.firstCallMs,
  });
}

/** Private memory of a worker whose endpoint has the package, beyond that of one without. */
async function benchMemory(report: Report, bundle: PackageBundle): Promise<void> {
  const { script } = await toPackageScript(bundle);
  const fileName = `npm:${PACKAGE}`;
  const module = { fileName, script, parameters: '', imports: [], digest: fileName };
  const without = await bytesOfWorker('return [true, 1];', { modules: [] });
  const using = { modules: [module], imports: [0], parameters: 'v', top: SHAPE };
  const with_ = await bytesOfWorker(`return [${USE}, 1];`, using);
  const bytes = with_ - without;
  const megabytes = (count: number): string => `${(count / 1_000_000).toFixed(1)} MB`;
  report.add({
    what: 'private memory of a worker for an endpoint with a package of 0.6 MB',
    ours: megabytes(bytes),
    others: [`all of a worker without it ${megabytes(without)}`],
    ratio: (bytes / TARGETS.workerBytes).toFixed(2),
    target: megabytes(TARGETS.workerBytes),
    reached: bytes <= TARGETS.workerBytes,
  });
}

/** The median of several new workers, each after many calls. */
async function bytesOfWorker(
  body: string,
  call: TestCall & Required<Pick<TestCall, 'modules'>>,
): Promise<number> {
  const all: number[] = [];
  for (let i = 0; i < WORKERS; i++) {
    await using pool = await openTestPool(1);
    // As it is when the endpoint is saved.
    for (const module of call.modules) pool.pool.prepareScript(module);
    for (let n = 0; n < CALLS_OF_A_WORKER; n++) await pool.run(body, { name: 'measured', ...call });
    all.push(privateBytesOfWorker());
  }
  return median(all);
}

function privateBytesOfWorker(): number {
  for (const thread of readdirSync('/proc/self/task')) {
    const children = readFileSync(`/proc/self/task/${thread}/children`, 'utf8');
    for (const child of children.split(' ').filter((text) => text !== '')) {
      if (!readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('worker-keeper')) continue;
      const memory = readFileSync(`/proc/${child}/smaps_rollup`, 'utf8');
      return Number(/^Private_Dirty: +(\d+) kB$/m.exec(memory)?.[1]) * 1_024;
    }
  }
  throw new Error('there is no worker');
}
