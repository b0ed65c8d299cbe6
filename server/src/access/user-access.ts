import type { IdSet } from './id-set.ts';

/** What one user may see beyond what everybody may. */
export interface UserAccess {
  readonly user: number;
  /** The user, and every team that they are in, through whatever nesting. */
  readonly principals: ReadonlySet<number>;
  /** Of the restricted nodes, those restricted to one of the principals. */
  readonly visible: IdSet;
  readonly owned: IdSet;
  /** Another one when `principals` or `owned` have changed. */
  readonly version: number;
}
