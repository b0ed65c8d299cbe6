/** How many runs there may be at a time, of all that share the places. */
export class RunPlaces {
  readonly #max: number;
  #taken = 0;
  readonly #onFree: () => void;

  /** `onFree` is told when somebody who waits may take a place. */
  constructor(max: number, onFree: () => void) {
    this.#max = max;
    this.#onFree = onFree;
  }

  take(): boolean {
    if (this.#taken >= this.#max) return false;
    this.#taken++;
    return true;
  }

  /** Gives a place back that was not used. */
  leave(): void {
    this.#taken--;
  }

  /** Gives a place back after a run. */
  free(): void {
    this.#taken--;
    this.#onFree();
  }
}
