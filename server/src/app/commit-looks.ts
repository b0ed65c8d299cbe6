import type { GraphReader } from '#graph/reader.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';

interface Look {
  /** Whether what it finds would be of use to anybody now. */
  readonly isWanted?: () => boolean;
  /** Sees the reader at the newest commit. */
  readonly look: () => void;
}

/**
 * What the main thread looks at after commits, with one refresh of the reader for all. Several
 * commits that come together are one look.
 */
export class CommitLooks implements Disposable {
  readonly reader: GraphReader;
  readonly #looks = new Set<Look>();
  readonly #stop: () => void;

  constructor(reader: GraphReader, sequence: Pick<AppliedSequence, 'onChange'>) {
    this.reader = reader;
    this.#stop = sequence.onChange(() => this.#lookAll());
  }

  /** Until disposed of. */
  add(look: Look): Disposable {
    this.#looks.add(look);
    return { [Symbol.dispose]: () => void this.#looks.delete(look) };
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #lookAll(): void {
    const wanted = [...this.#looks].filter(({ isWanted }) => isWanted?.() ?? true);
    if (wanted.length === 0) return;
    this.reader.refresh();
    for (const { look } of wanted) look();
  }
}
