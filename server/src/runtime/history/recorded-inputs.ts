import type { Clock } from '#base/clock.ts';
import { RECORDED_INPUT_CHARACTERS_MAX } from '#base/endpoint-limits.ts';

/** What an endpoint was called with once. */
export interface RecordedInput {
  /** Names it among those of its endpoint. */
  readonly id: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** JSON text; empty for none. */
  readonly body: string;
}

/**
 * The last bodies that one endpoint was called with, to try other versions with. None are kept
 * unless an administrator asks for it, as they hold what callers send; they stay in the memory of
 * this process and go with it.
 */
export class RecordedInputs {
  #keep = 0;
  #lastId = 0;
  #inputs: RecordedInput[] = [];

  /** How many are kept; 0 when it is switched off. */
  get keep(): number {
    return this.#keep;
  }

  /** The newest first. */
  list(): RecordedInput[] {
    return this.#inputs.toReversed();
  }

  find(id: number): RecordedInput | undefined {
    return this.#inputs.find((input) => input.id === id);
  }

  /** 0 switches it off, and forgets what there is. */
  setKeep(keep: number): void {
    this.#keep = keep;
    this.#inputs = keep === 0 ? [] : this.#inputs.slice(-keep);
  }

  /** On the path of every call. What is too long is left out. */
  offer(body: string | null, clock: Clock): void {
    if (this.#keep === 0) return;
    const text = body ?? '';
    if (text.length > RECORDED_INPUT_CHARACTERS_MAX) return;
    if (this.#inputs.length >= this.#keep) this.#inputs.shift();
    const at = new Date(clock.now()).toISOString();
    this.#inputs.push({ id: ++this.#lastId, at, body: text });
  }
}
