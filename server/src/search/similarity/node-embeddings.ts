import type { AccessIndex } from '#access/access-index.ts';
import { budgetKey, type Caller } from '#access/caller.ts';
import { NodeView } from '#access/node-view.ts';
import { VECTOR_ANSWER_NUMBERS_MAX } from '#base/search-limits.ts';
import { Problem } from '#base/problem.ts';
import { turns } from '#base/turns.ts';
import { didYouMean, shorten } from '#graph/names.ts';
import type { GraphReader, NodeObject, Visibility } from '#graph/reader.ts';
import { isTellableType } from '#graph/tellable-names.ts';
import type { Searcher } from '../service/searcher.ts';
import type { NodeVector } from '../service/similar-nodes.ts';
import { comparedVectors } from './find-similar.ts';

export interface NodeEmbeddingsParts {
  readonly reader: GraphReader;
  readonly access: AccessIndex;
  readonly searcher: Pick<Searcher, 'similarTo' | 'vectorsOfNode'>;
}

/** One vector of a node, of length 1. */
export interface NodeEmbedding {
  readonly UID: string;
  readonly field: string;
  readonly model: string;
  /** The number of the piece of text that it stands for. */
  readonly chunk: number;
  readonly vector: readonly number[];
}

export interface SimilarNode {
  readonly node: NodeObject;
  /** Cosine, -1 to 1. */
  readonly score: number;
}

export interface WantedSimilarNodes {
  readonly count: number;
  /** Of the nodes that are found. */
  readonly types?: readonly string[] | undefined;
}

/**
 * The vectors of nodes, and nodes that are similar by them, as callers may see them: a hidden node is as good as not there, and a
 * field that they may not read is as if it had no vectors. Between two nodes, or vectors, others have their turn.
 */
export class NodeEmbeddings {
  readonly #parts: NodeEmbeddingsParts;

  constructor(parts: NodeEmbeddingsParts) {
    this.#parts = parts;
  }

  /** In the order of the UIDs, each once; of one field, or of all. Throws `invalid_request` when they are too many for one answer. */
  async of(
    caller: Caller,
    { uids, field }: { readonly uids: readonly string[]; readonly field?: string | undefined },
  ): Promise<readonly NodeEmbedding[]> {
    const rows: NodeEmbedding[] = [];
    let numbers = 0;
    for (const uid of new Set(uids)) {
      await turns.goOn(budgetKey(caller));
      for (const one of this.#find(caller, uid)?.vectors ?? []) {
        if (field !== undefined && one.field !== field) continue;
        numbers += one.vector.length;
        if (numbers > VECTOR_ANSWER_NUMBERS_MAX) throw tooMany();
        rows.push({ UID: uid, ...one, vector: Array.from(one.vector, rounded) });
      }
    }
    return rows;
  }

  /** The most similar nodes, the best first, without the node itself. Throws `node_not_found`, `invalid_request` for a type. */
  async similar(
    caller: Caller,
    uid: string,
    { count, types }: WantedSimilarNodes,
  ): Promise<readonly SimilarNode[]> {
    const { reader, access, searcher } = this.#parts;
    const found = this.#find(caller, uid);
    if (found === undefined) throw new Problem('node_not_found', 'There is no such node.');
    for (const type of types ?? []) checkType(reader, access.visibilityFor(caller), type);
    const except = new Set([found.id]);
    const best = new Map<number, number>();
    for (const vector of comparedVectors([found.vectors], undefined)) {
      const wanted = { vectors: [vector], types, count, except };
      for (const { id, score } of searcher.similarTo(wanted, access.visibilityFor(caller))) {
        best.set(id, Math.max(score, best.get(id) ?? -1));
      }
      await turns.goOn(budgetKey(caller));
    }
    const view = NodeView.open(this.#parts, caller);
    return [...best]
      .filter(([id]) => view.canSee(id))
      .toSorted(([a, x], [b, y]) => y - x || a - b)
      .slice(0, count)
      .flatMap(([id, score]) => {
        const node = view.node(id);
        return node === undefined ? [] : [{ node, score }];
      });
  }

  /** Undefined when there is no such node for the caller. */
  #find(caller: Caller, uid: string): FoundVectors | undefined {
    const { access, searcher } = this.#parts;
    const id = NodeView.open(this.#parts, caller).find(uid);
    if (id === undefined) return undefined;
    return { id, vectors: searcher.vectorsOfNode(id, access.visibilityFor(caller)) };
  }
}

interface FoundVectors {
  readonly id: number;
  readonly vectors: readonly NodeVector[];
}

function checkType(reader: GraphReader, visibility: Visibility, name: string): void {
  const { nodes } = reader.schema();
  if (nodes.some(({ type }) => type === name)) return;
  const message = `"${shorten(name)}" is not a node type`;
  const known = nodes
    .map(({ type }) => type)
    .filter((type) => !type.startsWith('_') && isTellableType(reader, visibility, type));
  throw new Problem('invalid_request', `query, types: ${message}`, {
    ...didYouMean(name, known),
    details: { fields: [{ path: 'types', message }] },
  });
}

/** As exact as vectors are stored, and half as long as JSON. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function tooMany(): Problem {
  const message = `These vectors have more than ${VECTOR_ANSWER_NUMBERS_MAX} numbers together`;
  return new Problem('invalid_request', message, {
    hint: 'Ask for fewer nodes at a time, or for one field.',
  });
}
