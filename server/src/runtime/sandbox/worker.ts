import { readdirSync } from 'node:fs';
import { Socket } from 'node:net';
import process from 'node:process';
import { Script } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { init } from 'es-module-lexer/js';
import { assert } from '#base/assert.ts';
import { openHeldGraphReader } from '#graph/open-reader.ts';
import { FramePipe } from './frame-pipe.ts';
import { GuestHost } from './guest-host.ts';
import { guestSource, zodSource } from './script-sources.ts';
import { LazyScript } from './guest.ts';
import { HeapKeeper } from './garbage-collector.ts';
import { Progress } from './progress.ts';
import { lockRealm } from './realm-lockdown.ts';
import { formatStacksApart } from './stack-format.ts';
import { StateGate } from './state-gate.ts';
import { noteWriter } from './worker-note.ts';
import {
  FRAMES_DESCRIPTOR,
  NOTE_DESCRIPTOR,
  type WorkerSetup,
  type WorkerStep,
} from './worker-messages.ts';

/**
 * The entry of an endpoint worker: opens its own reader of the graph, closes its realm, and serves
 * calls, which come by a pipe from the server's process.
 *
 * It fails closed. Without the permission model its code could read every file, and a worker with
 * it may read everything below the working directory: so that has to be empty (decision 0004).
 */
assert(process.permission !== undefined, 'an endpoint worker runs under the permission model');
assert(readdirSync(process.cwd()).length === 0, 'the working directory of the process is empty');

const setup = workerData as WorkerSetup;
const { storage, rowMemoryBytes } = setup;
// What needs no state comes first.
await init();
const boot = new Script(guestSource(), { filename: 'trellis:guest' });
const zod = new LazyScript(zodSource(), 'trellis:zod');
const tell = (step: WorkerStep): void => parentPort?.postMessage(step);
tell('loaded');
// The key is kept outside of the heap, behind a private field: from here on nothing that code can
// reach leads to it.
const { reader, snapshots } = openHeldGraphReader({
  storage,
  environmentKey: new StateGate(setup.gate).pass(),
  rowMemoryBytes,
});
tell('opened');
// The environment of the process is not this thread's to show.
process.report.excludeEnv = true;
// A rejection that no code waits for is that code's own loss.
process.on('unhandledRejection', () => {});

const frames = new FramePipe(
  new Socket({ fd: FRAMES_DESCRIPTOR, readable: true, writable: true }),
  (frame) => host.receive(frame),
  () => {},
);
const host = new GuestHost({
  reader,
  snapshots,
  boot,
  zod,
  progress: new Progress(setup.progress),
  note: noteWriter(NOTE_DESCRIPTOR),
  heap: new HeapKeeper(),
  send: (frame) => frames.send(frame),
});
formatStacksApart();
lockRealm();
host.announce();
