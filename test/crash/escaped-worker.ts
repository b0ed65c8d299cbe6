import childProcess from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import threads from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';
import type { Loot } from '../../server/src/runtime/testing/intruder.ts';

/**
 * Loaded into a server before its own code (`node --import`): its first endpoint worker is one in
 * which somebody has got out of the realm of an endpoint. Everything else is the server as it is.
 * It goes on into the process of that worker, of which the thread beside the worker may then write
 * what the intruder brought out to the folder that TRELLIS_LOOT names; `found.json` comes last.
 */
/**
 * As the program of the sources, and as the one that is made of them, calls the files of an
 * endpoint worker.
 */
const KEEPER = /\/(?:sandbox\/worker-keeper\.ts|worker-keeper\.js)$/;
const ENDPOINT_WORKER = /\/sandbox(?:\/worker\.ts|-worker\.js)$/;
const folder = String(process.env['TRELLIS_LOOT']);
const own = fileURLToPath(import.meta.url);
const intruder = new URL('../../server/src/runtime/testing/intruder.ts', import.meta.url);

if (threads.isMainThread && process.permission === undefined) breakIntoFirstProcess();
else if (threads.isMainThread) breakIntoWorker();

function breakIntoFirstProcess(): void {
  const { spawn } = childProcess;
  let isIn = false;
  const broken = (file: string, args: readonly string[], options: childProcess.SpawnOptions) => {
    const at = args.findIndex((arg) => KEEPER.test(arg));
    if (isIn || at < 0) return spawn(file, args, options);
    isIn = true;
    const extra = [`--allow-fs-read=${dirname(own)}/*`, `--allow-fs-write=${folder}/*`];
    const changed = [...args.slice(0, at), ...extra, '--import', own, ...args.slice(at)];
    const env = { ...options.env, TRELLIS_LOOT: folder };
    return spawn(file, changed, { ...options, env });
  };
  Object.assign(childProcess, { spawn: broken });
  syncBuiltinESMExports();
}

function breakIntoWorker(): void {
  const { Worker } = threads;
  const loot = new threads.MessageChannel();
  loot.port1.on('message', ({ found, read }: Loot) => {
    for (const [name, bytes] of Object.entries(read)) {
      writeFileSync(join(folder, name.replaceAll(/\W/g, '-')), bytes);
    }
    writeFileSync(join(folder, 'found.json'), JSON.stringify(found));
  });
  loot.port1.unref();
  threads.Worker = class extends Worker {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      if (!ENDPOINT_WORKER.test(String(file))) {
        super(file, options);
        return;
      }
      super(intruder, {
        ...options,
        workerData: { ...options.workerData, loot: loot.port2 },
        transferList: [loot.port2],
      });
    }
  };
  syncBuiltinESMExports();
}
