/**
 * Mistakes that members can be told to make, each to prove that a checker finds it.
 */
export interface MemberFaults {
  /** A commit is applied and acknowledged though nobody knows whether it is in the log. */
  readonly appliesUnknown?: boolean;
  /** Appends go by the member's own idea of its lease: the database does not check the term. */
  readonly trustsOwnClock?: boolean;
  /** An append looks at the lease, and does not lock its row until it has ended. */
  readonly locksNoRow?: boolean;
  /** An append that broke off is looked for, and the term is not raised before. */
  readonly raisesNoTerm?: boolean;
  /** What was read is believed, without a commit after it. */
  readonly confirmsNothing?: boolean;
  /** A follower believes what a session shows, though nobody has said that it is durable. */
  readonly believesVisible?: boolean;
  /** The primary announces what it has appended though nobody knows whether it is durable. */
  readonly announcesUnknown?: boolean;
}
