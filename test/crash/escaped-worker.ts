import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import threads from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';
import type { Loot } from '../../server/src/runtime/testing/intruder.ts';

/**
 * Loaded into a server before its own code (`node --import`): its first endpoint worker is one in which somebody has got out
 * of the realm of an endpoint. Everything else is the server as it is. What the intruder brought out goes to the folder that
 * TRELLIS_LOOT names, and `found.json` comes last.
 */
/** As the program of the sources, and as the one that is made of them, calls the file of an endpoint worker. */
const ENDPOINT_WORKER = /\/sandbox(?:\/worker\.ts|-worker\.js)$/;
const folder = String(process.env['TRELLIS_LOOT']);
const { Worker } = threads;
const intruder = new URL('../../server/src/runtime/testing/intruder.ts', import.meta.url);
const loot = new threads.MessageChannel();
loot.port1.on('message', ({ found, read }: Loot) => {
  for (const [name, bytes] of Object.entries(read)) {
    writeFileSync(join(folder, name.replaceAll(/\W/g, '-')), bytes);
  }
  writeFileSync(join(folder, 'found.json'), JSON.stringify(found));
});
loot.port1.unref();

let isIn = false;
threads.Worker = class extends Worker {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    if (isIn || !ENDPOINT_WORKER.test(String(file))) {
      super(file, options);
      return;
    }
    isIn = true;
    super(intruder, {
      ...options,
      workerData: { ...options.workerData, loot: loot.port2 },
      transferList: [loot.port2],
    });
  }
};
syncBuiltinESMExports();
