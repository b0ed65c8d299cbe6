import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import fs from 'node:fs';
import http from 'node:http';
import inspector from 'node:inspector';
import module from 'node:module';
import net from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import v8 from 'node:v8';
import vm from 'node:vm';
import threads from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { WorkerSetup } from '../sandbox/worker-messages.ts';

/** What an intruder brought out. */
export interface Loot {
  /** What should have been refused and was not: what it came to, by name. */
  readonly found: Readonly<Record<string, string>>;
  /** What it may read, which must hold no secret: bytes by name. */
  readonly read: Readonly<Record<string, Uint8Array>>;
}

/** What a worker is started with that runs this file instead of `worker.ts`. */
export interface IntruderSetup extends WorkerSetup {
  readonly loot: MessagePort;
}

/**
 * An endpoint worker in which somebody has got out of the realm of an endpoint: it has the flags
 * and the start data that all of them have in the process that it runs in. It tries what Node's
 * permissions should refuse, then starts as all of them do, and tries what its locks should have
 * closed.
 */
const setup = threads.workerData as IntruderSetup;
const { storage, loot } = setup;
Reflect.deleteProperty(setup, 'loot');
const report = process.report;

const found: Record<string, string> = {};
const read: Record<string, Uint8Array> = {};
async function attempt(name: string, deed: () => unknown): Promise<void> {
  try {
    const result = await deed();
    if (result !== undefined) found[name] = String(result).slice(0, 1_000);
  } catch {
    // Refused, as it should be.
  }
}
function readAs(name: string, text: string): void {
  read[name] = new TextEncoder().encode(text);
}

const makeFrom = (value: unknown) => {
  const make: unknown = Object(value).constructor;
  return typeof make === 'function' ? String(make('return 1')()) : undefined;
};

/** What the permission model refuses. */
async function tryPermissions(): Promise<void> {
  const file = (path: string) => attempt(`read ${path}`, () => fs.readFileSync(path, 'latin1'));
  for (const path of ['store.json', 'jwt-key', 'secrets/', 'vault/data.mdb', 'log/']) {
    await file(join(storage, path));
  }
  const ofSystem = ['environ', 'mem', 'maps', 'cmdline', 'cwd', 'root/etc/passwd', 'fd/0'];
  for (const name of ofSystem) await file(`/proc/self/${name}`);
  await file('/etc/hostname');
  await attempt('list the storage', () => fs.readdirSync(storage).join());
  await attempt('list the working folder', () => fs.readdirSync('.').join() || undefined);
  await attempt('find the vault', () => fs.existsSync(join(storage, 'vault')) || undefined);
  await attempt('write', () => fs.writeFileSync(join(storage, 'graph/x'), 'x') ?? 'written');
  await attempt('write a snapshot', () => v8.writeHeapSnapshot(join(storage, 'graph/snapshot')));
  await attempt('link', () => fs.symlinkSync('/etc', join(storage, 'graph/etc')) ?? 'linked');
  await attempt('start a process', () => childProcess.spawnSync('true').status ?? undefined);
  await attempt('fork a process', () => childProcess.fork('x').pid);
  await attempt('start a thread', () => new threads.Worker('1', { eval: true }).threadId);
  await attempt('inspect', () => inspector.open(0) ?? 'open');
}

/** With what the globals and the process object still lead to. */
async function tryDoors(): Promise<void> {
  for (const name of ['process', 'require', 'fetch', 'WebSocket', 'eval', 'Function', 'Worker']) {
    await attempt(`globalThis.${name}`, () => Reflect.get(globalThis, name));
  }
  for (const name of ['getBuiltinModule', 'binding', '_linkedBinding', 'dlopen', 'mainModule']) {
    await attempt(`process.${name}`, () => Reflect.get(process, name));
  }
  for (const name of ['kill', 'abort', 'report', 'execve', '_debugProcess']) {
    await attempt(`process.${name}`, () => Reflect.get(process, name));
  }
  await attempt('the environment', () => Object.keys(process.env).join() || undefined);
  const kept = { childProcess, dgram, fs, http, inspector, module, net };
  for (const [name, exported] of Object.entries(kept)) {
    await attempt(`the module ${name}`, () => functionsOf(exported));
    const { prototype = {} } = exported as { readonly prototype?: object };
    await attempt(`objects of the module ${name}`, () => functionsOf(prototype));
  }
  for (const name of ['node:fs', 'node:net', 'node:child_process', 'node:module']) {
    await attempt(`import ${name}`, async () => functionsOf((await import(name)) as object));
  }
}

/**
 * `wrap` joins texts, and cannot be deleted; the default is the module, of which the functions are
 * asked for too.
 */
function functionsOf(exported: object): string | undefined {
  const functions = Object.entries(exported).filter(([, value]) => typeof value === 'function');
  return (
    functions.flatMap(([key]) => (['wrap', 'default'].includes(key) ? [] : [key])).join() ||
    undefined
  );
}

/** What the intrinsics of the realm still lead to. */
async function tryRealm(): Promise<void> {
  await attempt('Function', () => makeFrom(() => {}));
  await attempt('AsyncFunction', () => makeFrom(async () => {}));
  await attempt('GeneratorFunction', () => makeFrom(function* () {}));
  await attempt('AsyncGeneratorFunction', () => makeFrom(async function* () {}));
  // What a dynamic import gives away, should one ever get past the rules.
  const leak = "import('x').then(() => null, (error) => error)";
  const leaked: unknown = await vm.runInNewContext(leak);
  await attempt('an error of this realm', () => makeFrom(Object(leaked).constructor));
  for (const [target, key] of [
    [Object.prototype, 'polluted'],
    [Array.prototype, 'push'],
    [Promise.prototype, 'then'],
    [Map.prototype, 'get'],
    [JSON, 'parse'],
    [Error, 'prepareStackTrace'],
    [Error.prototype, 'name'],
  ] as const) {
    await attempt(`set ${key}`, () => Reflect.set(target, key, 1) || undefined);
  }
  // Errors still get names of their own.
  const error = Object.assign(new Error('x'), { name: 'Own' });
  if (error.name !== 'Own') found['errors'] = 'have no names';
}

/** What may be read, for whoever knows the secrets to look through. */
async function collect(): Promise<void> {
  readAs('report', JSON.stringify(report.getReport()));
  readAs('start data', JSON.stringify(setup));
  readAs('data of the environment', String(threads.getEnvironmentData('x')));
  read['shared memory'] = new Uint8Array(setup.progress).slice();
  read['the gate'] = new Uint8Array(setup.gate).slice();
  const unsafe = Array.from({ length: 64 }, () => Buffer.allocUnsafeSlow(1 << 16));
  read['fresh memory'] = Buffer.concat(unsafe);
  const chunks: Uint8Array[] = [];
  for await (const chunk of v8.getHeapSnapshot()) chunks.push(Buffer.from(chunk as Uint8Array));
  read['heap'] = Buffer.concat(chunks);
}

await tryPermissions();
for (const name of ['data.mdb', 'lock.mdb']) {
  read[`graph/${name}`] = fs.readFileSync(join(storage, 'graph', name));
}
await import('../sandbox/worker.ts');
await tryDoors();
await tryRealm();
await collect();
loot.postMessage({ found, read } satisfies Loot);
