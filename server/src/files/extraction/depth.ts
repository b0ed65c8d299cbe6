import { FILE_TEXT_DEPTH_MAX } from '#base/file-limits.ts';

/** Counts elements within each other: what closes one looks through all that are open. */
export class Depth {
  #depth = 0;

  /** Throws when there are too many. */
  enter(): void {
    if (++this.#depth > FILE_TEXT_DEPTH_MAX) throw new Error('it is nested too deeply');
  }

  leave(): void {
    this.#depth--;
  }
}
