import type { IndexPlan } from '../settings/index-plan.ts';
import type { SharedView } from '../text/index-view.ts';
import type { VectorFieldSnapshot } from './vectors/vector-field.ts';
import type { VectorFieldState } from './vectors/vector-indexer.ts';

/** What can be found at one moment, as the thread that indexes posts it to those that search. */
export interface SearchSnapshot {
  /** Another number when there is much memory that former snapshots held: each thread is to collect its garbage then. */
  readonly released: number;
  readonly state: IndexState;
  readonly plan: IndexPlan;
  readonly view: SharedView;
  readonly vectors: readonly VectorFieldSnapshot[];
}

/** The same shape as the contract's. */
export interface IndexState {
  /** Everything up to it can be found; null while the first index is built. */
  readonly sequence: number | null;
  readonly documents: number;
  readonly segments: number;
  /** In memory; and what is read from files, as it is beyond the budget of memory. */
  readonly bytes: number;
  readonly bytesOnDisk: number;
  readonly rebuild: RebuildState | null;
  readonly vectors: readonly VectorFieldState[];
  /** Texts without a vector. */
  readonly texts: { readonly waiting: number; readonly refused: number };
}

/** Types that are indexed anew, while what was indexed before is still found. */
export interface RebuildState {
  readonly types: readonly string[];
  readonly done: number;
  readonly total: number;
  /** ISO 8601. */
  readonly startedAt: string;
}
