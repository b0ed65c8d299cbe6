import { NODES_AT_ONE_COMMIT } from '#base/limits.ts';
import { turns } from '#base/turns.ts';
import type { Caller } from './caller.ts';
import { NodeView, type NodeReads } from './node-view.ts';

/**
 * Reads for one caller in turns (see `Turns`), each at the newest commit, as the caller may see it
 * then. What few nodes tell belongs together: so a turn has `NODES_AT_ONE_COMMIT` of them, however
 * little time is left.
 */
export class NodeTurns {
  view: NodeView;
  readonly #reads: NodeReads;
  readonly #caller: Caller;
  #nodes = 0;

  constructor(reads: NodeReads, caller: Caller) {
    this.#reads = reads;
    this.#caller = caller;
    this.view = NodeView.open(reads, caller);
  }

  /** To be asked before each node: then `next` should follow. */
  get isSpent(): boolean {
    return ++this.#nodes > NODES_AT_ONE_COMMIT && turns.isSpent;
  }

  async next(): Promise<void> {
    this.#nodes = 1;
    this.view = await NodeView.next(this.#reads, this.#caller);
  }
}
