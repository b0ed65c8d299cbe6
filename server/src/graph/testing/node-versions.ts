import type { WriterOperation } from '../operations.ts';
import { GraphModel, Refusal } from './graph-model.ts';

/** The timestamp and the fields of one version. */
export type NodeContent = Readonly<Record<string, unknown>>;

/** All versions of each existing node, oldest first, according to a model of the graph. */
export class NodeVersions {
  #model = new GraphModel();
  #versions = new Map<string, NodeContent[]>();

  /** Returns whether the commit is accepted. */
  commit(operations: readonly WriterOperation[], now: number): boolean {
    const before = structuredClone({ nodes: this.#model.nodes, versions: this.#versions });
    try {
      for (const one of operations) {
        this.#model.commit([one], now, () => '');
        this.#note();
      }
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#model = new GraphModel();
      this.#model.nodes = before.nodes;
      this.#versions = before.versions;
      return false;
    }
  }

  entries(): IterableIterator<[string, NodeContent[]]> {
    return this.#versions.entries();
  }

  #note(): void {
    for (const uid of this.#versions.keys()) {
      if (!this.#model.nodes.has(uid)) this.#versions.delete(uid);
    }
    for (const [uid, { fields, timestamp, version }] of this.#model.nodes) {
      const known = this.#versions.get(uid) ?? [];
      if (known.length === version) continue;
      const content = { Timestamp: new Date(timestamp).toISOString(), ...structuredClone(fields) };
      this.#versions.set(uid, [...known, content]);
    }
  }
}
