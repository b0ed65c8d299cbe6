import { must } from '../server/src/base/assert.ts';
import type { ReplicaStorePort } from '../server/src/app/replication/replica-run.ts';
import type { History } from '../server/src/store/history.ts';
import type { Manifest } from '../server/src/store/manifest.ts';
import type { Clock } from '../server/src/base/clock.ts';
import { StateFiles } from './disk.ts';
import type { Disk } from './disk.ts';
import type { SimulatedProcess } from './process.ts';
import { piecesOf, stateOf } from './workspace-state.ts';

/**
 * The storage folder of a replica on a simulated disk: what `ReplicaStore` is on a real one, step
 * by step.
 */
export class ReplicaFolder implements ReplicaStorePort {
  readonly #disk: Disk;
  readonly #process: SimulatedProcess;
  readonly #clock: Clock;

  constructor(disk: Disk, process: SimulatedProcess, clock: Clock) {
    this.#clock = clock;
    this.#disk = disk;
    this.#process = process;
  }

  async history(): Promise<History | undefined> {
    const state = this.#disk.state?.live;
    return state === undefined ? undefined : { epoch: state.epoch, sequence: state.sequence };
  }

  async piecesOf(manifest: Manifest): Promise<ReadonlySet<string>> {
    const { pieces, state } = this.#disk;
    const wanted = new Set(digestsOf(manifest));
    for (const digest of pieces.keys()) if (!wanted.has(digest)) pieces.delete(digest);
    if (state !== undefined) {
      for (const [digest, bytes] of piecesOf(state.live).pieces) {
        if (wanted.has(digest)) await this.write(digest, [bytes]);
      }
    }
    return new Set(pieces.keys());
  }

  async write(digest: string, parts: readonly Uint8Array[]): Promise<void> {
    this.#disk.checkRoom();
    await this.#process.wait(this.#disk.syncMs(), 'writes a piece');
    this.#disk.pieces.set(digest, Buffer.concat(parts));
  }

  async replaceBy(manifest: Manifest): Promise<void> {
    const { pieces } = this.#disk;
    this.#disk.state = undefined;
    await this.#step('removes its state');
    this.#disk.log = undefined;
    await this.#step('removes its log');
    try {
      this.#disk.checkRoom();
      for (const digest of digestsOf(manifest)) must(pieces.get(digest), `piece ${digest}`);
      const state = stateOf(manifest, pieces);
      await this.#step('loads the pieces');
      this.#disk.state = new StateFiles(this.#clock, state);
      this.#disk.refusal = undefined;
    } finally {
      if (this.#process.isAlive) pieces.clear();
    }
  }

  async refusal(): Promise<string | undefined> {
    return this.#disk.refusal;
  }

  async keepRefusal(reason: string): Promise<void> {
    await this.#step('keeps why it was refused');
    this.#disk.refusal = reason;
  }

  #step(label: string): Promise<void> {
    return this.#process.wait(this.#disk.syncMs(), label);
  }
}

function digestsOf({ databases }: Manifest): string[] {
  return databases.flatMap(({ pieces }) => pieces.map(({ digest }) => digest));
}
