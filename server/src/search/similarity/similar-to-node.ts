import type { AccessIndex } from '#access/access-index.ts';
import { AnswerSize } from '#access/answer-size.ts';
import type { Caller } from '#access/caller.ts';
import { typeAsSeen } from '#access/node-types.ts';
import { NodeView } from '#access/node-view.ts';
import { Problem } from '#base/problem.ts';
import type { GraphReader, NodeObject } from '#graph/reader.ts';
import type { Searcher } from '../service/searcher.ts';
import type { NodeVector } from '../service/similar-nodes.ts';
import { comparedVectors } from './find-similar.ts';

export interface VectorSources {
  readonly reader: GraphReader;
  readonly access: AccessIndex;
  readonly searcher: Pick<Searcher, 'vectorsOfNode'>;
}

export interface SimilarSources extends VectorSources {
  readonly searcher: Pick<Searcher, 'similarTo' | 'vectorsOfNode'>;
}

export interface WantedSimilarNodes {
  readonly uid: string;
  readonly count: number;
  /** Types of the nodes that are found. */
  readonly types?: readonly string[] | undefined;
}

export interface SimilarNode {
  readonly node: NodeObject;
  /** Cosine, -1 to 1. */
  readonly score: number;
}

interface SeenVectors {
  readonly id: number;
  readonly vectors: readonly NodeVector[];
}

/** The vectors of a node that the caller may read. Undefined when there is no such node for the caller. */
export function vectorsSeen(
  sources: VectorSources,
  caller: Caller,
  uid: string,
): SeenVectors | undefined {
  const { access, searcher } = sources;
  const id = NodeView.open(sources, caller).find(uid);
  if (id === undefined) return undefined;
  return { id, vectors: searcher.vectorsOfNode(id, access.visibilityFor(caller)) };
}

/**
 * The nodes that are the most similar to one, by their vectors, the best first, without the node itself; as the caller may see them.
 * It compares for as long as it takes: not for the main thread. Throws `node_not_found`, `invalid_request` for a type.
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
  for (const vector of comparedVectors([found.vectors], undefined)) {
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
