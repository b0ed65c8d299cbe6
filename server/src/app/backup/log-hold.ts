import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BACKUP_LOG_HELD_BYTES_MAX,
  BACKUP_LOG_HELD_ROOM_BYTES_MIN,
  BACKUP_LOG_LOOK_INTERVAL_MS,
} from '#base/backup-limits.ts';
import { unlessMissing } from '#log/durable-file.ts';
import { roomBytes } from '#store/storage-problem.ts';
import type { SharedNumber } from '../replication/shared-number.ts';

export interface LogHoldOptions {
  readonly storage: string;
  /** What the writer looks at before it trims the log. */
  readonly needed: SharedNumber;
  /** The sequence of the newest backup of this history; undefined while there is none. Rejects while nobody can tell. */
  readonly newest: () => Promise<number | undefined>;
  readonly onNote: (text: string) => void;
}

/**
 * Keeps the log behind the newest backup, so that the next one reads only what has changed, and has the commits between the two; but
 * not at any cost of room.
 */
export class LogHold implements Disposable {
  readonly #options: LogHoldOptions;
  readonly #timer: NodeJS.Timeout;
  /** Everything, until it is known what the target has. */
  #after: number | undefined = 0;
  #isKnown = false;
  #isGivenUp = false;

  constructor(options: LogHoldOptions) {
    this.#options = options;
    options.needed.set(0);
    this.#timer = setInterval(() => void this.#look(), BACKUP_LOG_LOOK_INTERVAL_MS);
    this.refresh();
  }

  /** There is another backup, or one less. */
  refresh(): void {
    this.#isKnown = false;
    void this.#look();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { storage, needed, newest } = this.#options;
    try {
      if (!this.#isKnown) {
        this.#after = await newest();
        this.#isKnown = true;
      }
    } catch {
      // The target cannot be read now; who asks it for something is told. The next look tries again.
    }
    const hasRoom =
      roomBytes(storage) >= BACKUP_LOG_HELD_ROOM_BYTES_MIN &&
      (await bytesOf(join(storage, 'log'))) <= BACKUP_LOG_HELD_BYTES_MAX;
    this.#tell(hasRoom);
    needed.set(hasRoom ? this.#after : undefined);
  }

  #tell(hasRoom: boolean): void {
    const isGivenUp = !hasRoom && this.#after !== undefined;
    if (isGivenUp && !this.#isGivenUp) {
      this.#options.onNote(
        'the log takes too much room to be kept for the next backup: that one reads the whole state, and points before it cannot be restored',
      );
    }
    this.#isGivenUp = isGivenUp;
  }
}

async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of (await unlessMissing(readdir(folder))) ?? []) {
    bytes += (await unlessMissing(stat(join(folder, name))))?.size ?? 0;
  }
  return bytes;
}
