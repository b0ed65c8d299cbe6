import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import type { NodeEmbedding } from '@trellis/contract/shapes/embedding.ts';
import { budgetKey, type Caller } from '#access/caller.ts';
import { VECTOR_ANSWER_NUMBERS_MAX } from '#base/search-limits.ts';
import { Problem } from '#base/problem.ts';
import { turns } from '#base/turns.ts';
import type { AccessIndex } from '#access/access-index.ts';
import { typeAsSeen } from '#access/node-types.ts';
import { AnswerSize, NodeView } from '#access/node-view.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Searcher } from '../service/searcher.ts';
import { comparedVectors, type NodeVector } from './find-similar.ts';

interface VectorSources {
  readonly reader: GraphReader;
  readonly access: AccessIndex;
  readonly searcher: Pick<Searcher, 'vectorsOfNode'>;
}

interface SimilarSources extends VectorSources {
  readonly searcher: Pick<Searcher, 'similarTo' | 'vectorsOfNode'>;
}

export interface WantedSimilarNodes {
  readonly uid: string;
  readonly count: number;
  /** Types of the nodes that are found. */
  readonly types?: readonly string[] | undefined;
}

interface SimilarNode {
  readonly node: NodeObject;
  /** Cosine, -1 to 1. */
  readonly score: number;
}

interface SeenVectors {
  readonly id: number;
  readonly vectors: readonly NodeVector[];
}

/** The vectors of a node that the caller may read; undefined if the caller sees no such node. */
function vectorsSeen(sources: VectorSources, caller: Caller, uid: string): SeenVectors | undefined {
  const { access, searcher } = sources;
  const id = NodeView.open(sources, caller).find(uid);
  if (id === undefined) return undefined;
  return { id, vectors: searcher.vectorsOfNode(id, access.visibilityFor(caller)) };
}

/**
 * The nodes most similar to one, without itself, as the caller may see them; best first. May take
 * long: not for the main thread. Throws `node_not_found`, `invalid_request` for a type.
 */
export function similarToNode(
  sources: SimilarSources,
  caller: Caller,
  { uid, count, types }: WantedSimilarNodes,
): readonly SimilarNode[] {
  const { reader, access, searcher } = sources;
  const found = vectorsSeen(sources, caller, uid);
  if (found === undefined) throw new Problem('node_not_found', 'There is no such node.');
  const visibility = access.visibilityFor(caller);
  const at = { part: 'query', path: 'types' } as const;
  for (const type of types ?? []) typeAsSeen(reader, visibility, type, at);
  const except = new Set([found.id]);
  const best = new Map<number, number>();
  for (const vector of comparedVectors([found.vectors])) {
    for (const { id, score } of searcher.similarTo(
      { vectors: [vector], types, count, except },
      visibility,
    )) {
      best.set(id, Math.max(score, best.get(id) ?? -1));
    }
  }
  const view = NodeView.open(sources, caller);
  const size = new AnswerSize();
  return [...best]
    .filter(([id]) => view.canSee(id))
    .toSorted(([a, x], [b, y]) => y - x || a - b)
    .slice(0, count)
    .flatMap(([id, score]) => {
      const node = view.node(id);
      if (node === undefined) return [];
      size.add(node);
      return [{ node, score }];
    });
}

export interface NodeEmbeddingsParts extends VectorSources {
  readonly askSimilar: AskSimilar;
}

/**
 * Runs `similarToNode` in a search thread. JSON of the list; rejects with its problems, and as
 * `SearchThreads`.
 */
export type AskSimilar = (
  caller: Caller,
  wanted: WantedSimilarNodes,
  signal: SearchSignal,
) => Promise<string>;

/** Whether anybody still waits for the answer. */
interface SearchSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
}

/**
 * Vectors of nodes, and similar nodes, as callers may see them: a hidden node does not exist for
 * them, and a field that they may not read has no vectors.
 */
export class NodeEmbeddings {
  readonly #parts: NodeEmbeddingsParts;

  constructor(parts: NodeEmbeddingsParts) {
    this.#parts = parts;
  }

  /**
   * In the order of the UIDs, each once; of one field or all. Throws `invalid_request` if they are
   * too many for one answer.
   */
  async of(
    caller: Caller,
    { uids, field }: { readonly uids: readonly string[]; readonly field?: string | undefined },
  ): Promise<readonly NodeEmbedding[]> {
    const rows: NodeEmbedding[] = [];
    let numbers = 0;
    for (const uid of new Set(uids)) {
      await turns.goOn(budgetKey(caller));
      for (const one of vectorsSeen(this.#parts, caller, uid)?.vectors ?? []) {
        if (field !== undefined && one.field !== field) continue;
        numbers += one.vector.length;
        if (numbers > VECTOR_ANSWER_NUMBERS_MAX) throw tooMany();
        rows.push({ UID: uid, ...one, vector: Array.from(one.vector, rounded) });
      }
    }
    return rows;
  }

  /** Whether a node has vectors that the caller may read. */
  has(caller: Caller, uid: string): boolean {
    return (vectorsSeen(this.#parts, caller, uid)?.vectors.length ?? 0) > 0;
  }

  /**
   * JSON of `SimilarNode`s, best first, without the node itself. Rejects with `node_not_found`,
   * `invalid_request` for a type.
   */
  similar(caller: Caller, wanted: WantedSimilarNodes, signal: SearchSignal): Promise<string> {
    return this.#parts.askSimilar(caller, wanted, signal);
  }
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
