import { BACKUP_LOG_LOOK_INTERVAL_MS } from '#base/backup-limits.ts';
import type { FollowerSlot } from '#log/followers.ts';

export interface LogHoldOptions {
  /** The slot of backups among those who follow the log. */
  readonly position: FollowerSlot;
  /**
   * The sequence of the newest backup of this history; undefined while there is none. Rejects while
   * nobody can tell.
   */
  readonly newest: () => Promise<number | undefined>;
  readonly onNote: (text: string) => void;
}

/**
 * Keeps the log after the newest backup, so that the next one reads only what has changed, and has
 * the commits between the two; but not at any cost of room: whoever trims the log says when it is
 * too much.
 */
export class LogHold implements Disposable {
  readonly #options: LogHoldOptions;
  readonly #timer: NodeJS.Timeout;
  #isKnown = false;
  #isGivenUp = false;

  constructor(options: LogHoldOptions) {
    this.#options = options;
    // Everything, until it is known what the target has.
    options.position.needs(0);
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
    this.#tellIfDropped();
    if (this.#isKnown) return;
    const { position, newest } = this.#options;
    try {
      const after = await newest();
      this.#isKnown = true;
      this.#isGivenUp = false;
      position.reached(after ?? 0);
      position.needs(after);
    } catch {
      // The target cannot be read now; who asks it for something is told. The next look tries
      // again.
    }
  }

  #tellIfDropped(): void {
    if (!this.#options.position.isDropped || this.#isGivenUp) return;
    this.#isGivenUp = true;
    this.#options.onNote(
      'the log takes too much room to be kept for the next backup: that one reads the whole state, and points before it cannot be restored',
    );
  }
}
