import type { WriterOperation } from '../operations.ts';
import { GraphModel, Refusal } from './graph-model.ts';

/** Timestamp and fields of one version. */
export type NodeContent = Readonly<Record<string, unknown>>;

/** Each version of each node that there is, oldest first, as a model of the graph has them. */
export class NodeVersions {
  #model = new GraphModel();
  #versions = new Map<string, NodeContent[]>();

  /** Whether the commit is taken. */
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
