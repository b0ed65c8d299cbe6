/** How long work reports its progress, and learns that it should stop. */
export interface WorkProgress {
  /** Aborted when it is to end early; its reason is thrown then. */
  readonly signal: AbortSignal;
  /** From 0 to 1. */
  report(progress: number, step: string): void;
  /** A line for whoever looks at how it went. */
  log(text: string): void;
}
