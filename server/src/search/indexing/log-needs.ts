/** The place of an index among the followers of the log: see `FollowerSlot`. */
export interface IndexPosition {
  reached(sequence: number): void;
  needs(after: number | undefined): void;
  readonly isDropped: boolean;
}

export interface LogNeedsPorts {
  readonly text: IndexPosition;
  readonly vector: IndexPosition;
  readonly files: Saved;
  readonly vectorFiles: Saved;
  readonly note: (text: string) => void;
}

interface Saved {
  savedSequence: number | undefined;
}

interface Index {
  readonly name: string;
  readonly position: IndexPosition;
  readonly files: Saved;
}

/**
 * Says how far the indexes are, and what they need of the log: what they have not read, and what came after they were saved, so that
 * the next start goes on from the files.
 */
export class LogNeeds {
  readonly #note: (text: string) => void;
  readonly #indexes: readonly Index[];

  constructor({ text, vector, files, vectorFiles, note }: LogNeedsPorts) {
    this.#note = note;
    this.#indexes = [
      { name: 'search index', position: text, files },
      { name: 'index of vectors', position: vector, files: vectorFiles },
    ];
  }

  /** The log no longer goes on from what is saved. */
  trimmed(): void {
    for (const { files } of this.#indexes) files.savedSequence = undefined;
  }

  /** Both have taken in everything up to the sequence. */
  reached(sequence: number): void {
    for (const { name, position, files } of this.#indexes) {
      if (position.isDropped) {
        files.savedSequence = undefined;
        this.#note(
          `the log is not kept for the saved ${name}: a start before the next save makes it anew`,
        );
      }
      position.reached(sequence);
      // With the last record that is taken in: what is saved is compared with the log by it.
      position.needs(Math.max(0, Math.min(sequence, files.savedSequence ?? Infinity) - 1));
    }
  }
}
