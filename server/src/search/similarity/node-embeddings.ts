import { budgetKey, type Caller } from '#access/caller.ts';
import { VECTOR_ANSWER_NUMBERS_MAX } from '#base/search-limits.ts';
import { Problem } from '#base/problem.ts';
import { turns } from '#base/turns.ts';
import { vectorsSeen, type VectorSources, type WantedSimilarNodes } from './similar-to-node.ts';

export interface NodeEmbeddingsParts extends VectorSources {
  readonly askSimilar: AskSimilar;
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

/** In a thread that searches: see `similarToNode`. JSON of the list; rejects with its problems, and as `EndpointSearches`. */
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
 * The vectors of nodes, and nodes that are similar by them, as callers may see them: a hidden node is as good as not there, and a
 * field that they may not read is as if it had no vectors.
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
      for (const one of vectorsSeen(this.#parts, caller, uid)?.vectors ?? []) {
        if (field !== undefined && one.field !== field) continue;
        numbers += one.vector.length;
        if (numbers > VECTOR_ANSWER_NUMBERS_MAX) throw tooMany();
        rows.push({ UID: uid, ...one, vector: Array.from(one.vector, rounded) });
      }
    }
    return rows;
  }

  /** JSON of `SimilarNode`s, the best first, without the node itself. Rejects with `node_not_found`, `invalid_request` for a type. */
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
