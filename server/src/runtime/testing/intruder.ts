import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { runInNewContext } from 'node:vm';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { openGraphReader } from '#graph/open-reader.ts';
import { lockRealm } from '../sandbox/realm-lockdown.ts';

/**
 * Runs in a worker with the flags of an endpoint worker, as if an endpoint had got out of its
 * realm: tries what it could do there, and says what went well.
 */
const { storage, file } = workerData as { storage: string; file: string };
const options = { storage, environmentKey: undefined };
const reader = openGraphReader(options);
process.report.excludeEnv = true;
const require = createRequire(import.meta.url);
lockRealm();

const found: Record<string, string> = {};
function attempt(name: string, deed: () => unknown): void {
  try {
    const result = deed();
    if (result !== undefined) found[name] = String(result);
  } catch {
    // Refused, as it should be.
  }
}

const makeFrom = (value: unknown) => {
  const make: unknown = Object(value).constructor;
  return typeof make === 'function' ? String(make('return 1')()) : undefined;
};
attempt('read a file', () => readFileSync(file, 'utf8'));
attempt('read /etc/hostname', () => readFileSync('/etc/hostname', 'utf8'));
attempt('list the storage', () => readdirSync(storage).join());
attempt('find the vault', () =>
  existsSync(join(storage, 'vault', 'data.mdb')) ? 'it is there' : undefined,
);
attempt('read the vault', () => readFileSync(join(storage, 'vault', 'data.mdb')));
attempt('write a file', () => writeFileSync(join(storage, 'graph', 'intruder'), 'x') ?? 'written');
attempt('start a process', () => require('node:child_process').spawnSync('true').status);
attempt('start a thread', () => new Worker('1', { eval: true }).threadId);
attempt('inspect', () => require('node:inspector').open(0) ?? 'open');
attempt('show the environment', () => {
  const report = process.report.getReport() as { environmentVariables?: object };
  return report.environmentVariables;
});
attempt('Function', () => makeFrom(() => {}));
attempt('AsyncFunction', () => makeFrom(async () => {}));
attempt('GeneratorFunction', () => makeFrom(function* () {}));
attempt('AsyncGeneratorFunction', () => makeFrom(async function* () {}));
attempt('eval', () => Reflect.get(globalThis, 'eval'));
// What a dynamic import gives away, should one ever get past the rules.
const leaked: unknown = await runInNewContext("import('x').then(() => null, (error) => error)");
attempt('an error of this realm', () => makeFrom(Object(leaked).constructor));
attempt('Object.prototype', () => Reflect.set(Object.prototype, 'polluted', 1) || undefined);
attempt('Array.prototype', () => Reflect.set(Array.prototype, 'push', 1) || undefined);
attempt('Promise.prototype', () => Reflect.set(Promise.prototype, 'then', 1) || undefined);
attempt('Error', () => Reflect.set(Error, 'prepareStackTrace', 1) || undefined);
attempt('Error.prototype', () => Reflect.set(Error.prototype, 'name', 1) || undefined);

// It still reads, and its errors still get names of their own.
const error = Object.assign(new Error('x'), { name: 'Own' });
if (error.name !== 'Own' || reader.sequence < 0) found['the reader'] = 'is broken';
parentPort?.postMessage(found);
