/** Told what a run has read, with those that it has run. */
export interface WatchedRun {
  /** At its end. `reads` is JSON of `ReadKeys`, from a worker that may be out of its mind. */
  read(sequence: number, reads: string): void;
  searched(): void;
  /** It has asked for an endpoint of this name. */
  asked(endpoint: string): void;
}
