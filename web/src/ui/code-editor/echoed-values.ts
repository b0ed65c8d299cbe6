/** More changes than can be made before the page is drawn again. */
const WAITING_MAX = 200;

/**
 * Tells a text that somebody else has set from one that was typed. What is typed comes back as the
 * value of the component a little later, when more may have been typed already: to put that into
 * the editor would undo it.
 */
export class EchoedValues {
  /** Typed, and not come back yet; the oldest first. */
  #waiting: string[] = [];

  typed(value: string): void {
    this.#waiting.push(value);
    if (this.#waiting.length > WAITING_MAX) this.#waiting.shift();
  }

  /**
   * Whether the value is one that was typed. Those before it will not come any more, as draws may
   * be left out.
   */
  isEcho(value: string): boolean {
    const at = this.#waiting.indexOf(value);
    this.#waiting = at < 0 ? [] : this.#waiting.slice(at + 1);
    return at >= 0;
  }
}
