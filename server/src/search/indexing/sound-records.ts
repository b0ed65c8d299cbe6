import { Problem } from '#base/problem.ts';
import { SEARCH_DAMAGE_NOTES_MAX } from '#base/search-limits.ts';
import type { NodeRecord } from '#graph/node-record.ts';
import type { StateReader } from '#graph/state-reader.ts';

/** Reads nodes to be indexed. Of one that is damaged there is no record, so that it alone is not found; the log says which. */
export class SoundRecords {
  readonly #reader: StateReader;
  readonly #note: ((text: string) => void) | undefined;
  #damaged = 0;

  constructor(reader: StateReader, note: ((text: string) => void) | undefined) {
    this.#reader = reader;
    this.#note = note;
  }

  /** Valid until the next call on the reader. */
  read(id: number): NodeRecord | undefined {
    try {
      return this.#reader.record(id);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'storage_corrupt') throw error;
      this.#tell(error.message);
      return undefined;
    }
  }

  #tell(why: string): void {
    this.#damaged++;
    if (this.#damaged > SEARCH_DAMAGE_NOTES_MAX) return;
    const isLast = this.#damaged === SEARCH_DAMAGE_NOTES_MAX;
    this.#note?.(
      `search does not find a node: ${why}${isLast ? '; further ones are not told' : ''}`,
    );
  }
}
