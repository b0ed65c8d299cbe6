import { setImmediate as nextTurn } from 'node:timers/promises';
import { compareDerived, type DerivedReport } from '#graph/indexes/compare-derived.ts';
import type { HeldReader } from '#store/held-reader.ts';

/**
 * Compares the entries of a held state that follow from its nodes and edges with these. It does not
 * rest, since the files grow as long as the state is held, but ends its turn between portions.
 */
export function checkDerived(
  state: HeldReader,
  work: {
    readonly signal?: AbortSignal;
    readonly onProgress: (done: number, total: number) => void;
  },
): Promise<DerivedReport> {
  const rest = async (): Promise<void> => {
    await nextTurn();
    work.signal?.throwIfAborted();
  };
  return compareDerived({ state, rest, onProgress: work.onProgress });
}
