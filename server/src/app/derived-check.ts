import { setImmediate as nextTurn } from 'node:timers/promises';
import { compareDerived, type DerivedReport } from '#graph/indexes/compare-derived.ts';
import { compareRows, packedNodes, type RowsReport } from '#graph/rows/compare-rows.ts';
import type { HeldReader } from '#store/held-reader.ts';

export interface CheckedDerived extends DerivedReport {
  /** The packed rows of this machine, compared with the keys. */
  readonly rows: RowsReport;
}

/**
 * Compares the entries of a held state that follow from its nodes and edges with these, and packed
 * rows with the keys. It does not rest, since the files grow as long as the state is held, but ends
 * its turn between portions.
 */
export async function checkDerived(
  state: HeldReader,
  work: {
    readonly signal?: AbortSignal;
    readonly onProgress: (done: number, total: number) => void;
  },
): Promise<CheckedDerived> {
  const rest = async (): Promise<void> => {
    await nextTurn();
    work.signal?.throwIfAborted();
  };
  const nodes = packedNodes(state);
  let entries = 0;
  const report = await compareDerived({
    state,
    rest,
    onProgress: (done, total) => {
      entries = total;
      work.onProgress(done, total + nodes);
    },
  });
  const rows = await compareRows({
    state,
    rest,
    onProgress: (done) => work.onProgress(entries + done, entries + nodes),
  });
  return { ...report, rows };
}
