import { parentPort } from 'node:worker_threads';
import { must } from '#base/assert.ts';
import { BACKUP_PIECES_AHEAD_MAX } from '#base/backup-limits.ts';
import type { DatabaseNumber } from '#store/databases.ts';
import { visitorOf, type CheckedPlace } from '#store/lmdb-file/checked-visit.ts';
import { TreePages, type EntryVisitor } from '#store/lmdb-file/tree-pages.ts';
import { SpareMemory } from '#store/spare-memory.ts';
import { writePieces, type SnapshotSink } from '#store/snapshot-pieces.ts';
import { lowerPriority, PRIORITY } from '../low-priority.ts';
import { failureOf } from '../thread-failure.ts';
import type { FromPieces, ToPieces } from './piece-thread.ts';

/** A thread that reads databases by their file, for one that holds the commit. */
const port = must(parentPort, 'the port of the thread that reads pieces');

function send(message: FromPieces, transfer: readonly ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

/** Hands pieces to the other thread, and waits when that has not taken the last ones. */
class PortSink implements SnapshotSink, Disposable {
  readonly #memory = new SpareMemory();
  #untaken = 0;
  #isEnded = false;
  #changed = Promise.withResolvers<void>();

  spare(): ArrayBuffer | undefined {
    return this.#memory.take();
  }

  async write(digest: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#untaken++;
    send({ kind: 'piece', digest, bytes }, [bytes.buffer]);
    while (this.#untaken >= BACKUP_PIECES_AHEAD_MAX && !this.#isEnded) await this.#changed.promise;
    if (this.#isEnded) throw new Error('no more pieces are wanted');
  }

  onTaken(spare: ArrayBuffer | undefined): void {
    this.#untaken--;
    if (spare !== undefined) this.#memory.give(spare);
    this.#tell();
  }

  /** No more pieces are wanted, or there are none. */
  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#memory[Symbol.dispose]();
    this.#tell();
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

async function read(db: DatabaseNumber, place: CheckedPlace, sink: PortSink): Promise<void> {
  try {
    using _ending = sink;
    using pages = new TreePages(place.path, place.pageBytes);
    const reader = {
      visit: (_db: DatabaseNumber, start: Uint8Array, visitor: EntryVisitor) =>
        pages.visit(place.tree, start, visitorOf(visitor, place.checkedAs)),
    };
    send({ kind: 'done', pieces: await writePieces(reader, db, sink) });
  } catch (error) {
    send({ kind: 'failed', failure: failureOf(error) });
  }
}

function main(): void {
  lowerPriority(PRIORITY.last);
  let sink = new PortSink();
  port.on('message', (message: ToPieces) => {
    if (message.kind === 'read') {
      sink = new PortSink();
      void read(message.db, message.place, sink);
    } else if (message.kind === 'taken') {
      sink.onTaken(message.spare);
    } else {
      sink[Symbol.dispose]();
    }
  });
}

main();
