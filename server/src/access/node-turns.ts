import { turns } from '#base/turns.ts';
import type { Caller } from './caller.ts';
import { NodeView, type NodeReads } from './node-view.ts';

/** Reads for one caller in turns (see `Turns`), each at the newest commit, as the caller may see it then. */
export class NodeTurns {
  view: NodeView;
  readonly #reads: NodeReads;
  readonly #caller: Caller;

  constructor(reads: NodeReads, caller: Caller) {
    this.#reads = reads;
    this.#caller = caller;
    this.view = NodeView.open(reads, caller);
  }

  /** To be asked before each node: then `next` should follow. */
  get isSpent(): boolean {
    return turns.isSpent;
  }

  async next(): Promise<void> {
    this.view = await NodeView.next(this.#reads, this.#caller);
  }
}
