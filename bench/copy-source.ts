import { once } from 'node:events';
import { open, readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { randomFillSync } from 'node:crypto';
import { assert, must } from '../server/src/base/assert.ts';
import { systemClock } from '../server/src/base/clock.ts';
import { createMemoryLog } from '../server/src/log/memory-log.ts';
import { startPrimary } from '../server/src/replication/testing/cluster.ts';
import { DB } from '../server/src/store/databases.ts';
import { openSnapshotReader } from '../server/src/store/snapshot-reader.ts';
import { SnapshotSpool } from '../server/src/store/snapshot-spool.ts';
import { openState } from '../server/src/store/state-writer.ts';
import type { State } from '../server/src/store/commit-pipeline.ts';

/** Where a source of a copy listens. */
export interface CopySource {
  readonly primaryPort: number;
  /** The port of a bare socket that sends the same files. */
  readonly plainPort: number;
}

const ENTRIES = 32_768;
const ENTRY_BYTES = 8 * 1024;
const ENTRIES_PER_COMMIT = 512;

/** A primary with a store in a folder of its own, whose snapshots are in files. */
async function startSource(storage: string): Promise<CopySource> {
  const log = createMemoryLog({ clock: systemClock, archive: { ttlMs: 0, bytesMax: 0 } });
  const state = await openState({ storage, log, clock: systemClock });
  await fill(state);
  const reader = openSnapshotReader({ storage, environments: ['graph', 'vault'] });
  const folder = join(storage, 'snapshot');
  const spool = await SnapshotSpool.open({
    folder,
    reader,
    clock: systemClock,
    isEncrypted: false,
  });
  const primary = await startPrimary({ openSnapshot: () => spool.openSnapshot() });
  process.on('message', () => void change(state));
  return { primaryPort: primary.server.port, plainPort: await listenPlain(folder) };
}

async function fill(state: State): Promise<void> {
  for (let from = 0; from < ENTRIES; from += ENTRIES_PER_COMMIT) {
    await state.commit((batch) => {
      for (let id = from; id < from + ENTRIES_PER_COMMIT; id++) {
        batch.put(DB.nodes, keyOf(id), randomFillSync(new Uint8Array(ENTRY_BYTES)));
      }
    });
  }
}

/** One entry becomes another. */
async function change(state: State): Promise<void> {
  const value = randomFillSync(new Uint8Array(ENTRY_BYTES));
  await state.commit((batch) => batch.put(DB.nodes, keyOf(ENTRIES / 2), value));
  send('changed');
}

function keyOf(id: number): Uint8Array {
  const key = Buffer.alloc(5);
  key.writeUInt32BE(id, 1);
  return key;
}

async function listenPlain(folder: string): Promise<number> {
  const server = createServer(async (socket) => {
    for (const name of await readdir(folder)) {
      await using file = await open(join(folder, name));
      const bytes = Buffer.allocUnsafeSlow((await file.stat()).size);
      await file.read(bytes);
      if (!socket.write(bytes)) await once(socket, 'drain');
    }
    socket.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address !== null, 'the plain server listens on a port');
  return address.port;
}

const send = must(process.send, 'the process that copies').bind(process);
send(await startSource(must(process.argv[2], 'the folder of the store')));
// The store is worth nothing without whoever copies it.
process.on('disconnect', () => process.exit());
