/**
 * Mistakes that the parts of the simulation can be told to make, each to prove that a checker finds
 * it.
 */
export interface Faults {
  /** A replica makes a commit visible in two steps. */
  readonly appliesHalves?: boolean;
  /** A replica leaves out the first commit of a chunk. */
  readonly skipsRecords?: boolean;
  /** The primary trims its log without regard to its replicas. */
  readonly trimsWithoutReplicas?: boolean;
  /** The primary acknowledges what is not on its disk. */
  readonly acknowledgesUnsynced?: boolean;
  /** The primary's clock runs too fast, so that it drops replicas too early. */
  readonly dropsEarly?: boolean;
  /** The primary's clock stands still, so that it keeps every replica. */
  readonly neverDrops?: boolean;
  /** A replica serves an older state now and then. */
  readonly goesBack?: boolean;
}
