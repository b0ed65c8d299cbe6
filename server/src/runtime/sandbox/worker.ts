import { readdirSync } from 'node:fs';
import process from 'node:process';
import { Script } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { init } from 'es-module-lexer/js';
import { assert, must } from '#base/assert.ts';
import { systemClock } from '#base/clock.ts';
import { openGraphReader } from '#graph/open-reader.ts';
import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import { Searcher } from '#search/service/searcher.ts';
import { indexFolder } from '#search/text/index-manifest.ts';
import { SegmentReaders } from '#search/text/segment-readers.ts';
import { garbageCollector } from './garbage-collector.ts';
import { GuestHost } from './guest-host.ts';
import { guestSource } from './guest-source.ts';
import { LazyScript } from './lazy-script.ts';
import { HeapKeeper } from './heap-keeper.ts';
import { Progress } from './progress.ts';
import { lockRealm } from './realm-lockdown.ts';
import { StateGate } from './state-gate.ts';
import type { WorkerSetup } from './worker-messages.ts';
import { zodSource } from './zod-source.ts';

/**
 * The entry of an endpoint worker: opens its own reader of the graph, closes its realm, and serves
 * calls.
 *
 * It fails closed. Without the permission model its code could read every file, and a worker with
 * it may read everything below the working directory: so that has to be empty (decision 0004).
 */
assert(process.permission !== undefined, 'an endpoint worker runs under the permission model');
assert(readdirSync(process.cwd()).length === 0, 'the working directory of the process is empty');

const port = must(parentPort, 'the port of an endpoint worker');
const setup = workerData as WorkerSetup;
const { storage, environmentKey } = setup;
const readerOptions = { storage, environmentKey };
// What needs no state comes first.
await init();
const boot = new Script(guestSource(), { filename: 'trellis:guest' });
const zod = new LazyScript(zodSource(), 'trellis:zod');
if (setup.gate !== undefined) new StateGate(setup.gate).pass();
const reader = openGraphReader(readerOptions);
// LMDB keeps the key in memory of its own: from here on no object of this thread leads to it.
Reflect.deleteProperty(setup, 'environmentKey');
Reflect.deleteProperty(readerOptions, 'environmentKey');
// The environment of the process is not this thread's to show.
process.report.excludeEnv = true;
// A rejection that no code waits for is that code's own loss.
process.on('unhandledRejection', () => {});

const searcher = new Searcher({
  reader,
  now: () => systemClock.now(),
  segments: new SegmentReaders(indexFolder(storage)),
  collect: garbageCollector(),
});
// There is no way to load anything any more once the realm is locked.
searcher.loadLanguages();
const host = new GuestHost({
  reader,
  searcher,
  boot,
  zod,
  progress: new Progress(setup.progress),
  heap: new HeapKeeper(),
  send: (frame) => port.postMessage(frame),
});
lockRealm();
port.on('message', (message: string | SearchSnapshot) => {
  if (typeof message === 'string') host.receive(message);
  else searcher.receive(message);
});
host.announce();
