import { serverCaller } from '#access/caller.ts';
import { type DuplicateParts, DuplicateService } from '#duplicates/duplicate-service.ts';
import { MergeService } from '#duplicates/merge-service.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { NodeEmbeddings } from '#search/similarity/node-embeddings.ts';
import type { Foundation } from './foundation.ts';

export interface Duplicates extends AsyncDisposable {
  readonly duplicates: DuplicateService;
  readonly merges: MergeService;
}

interface DuplicateArguments {
  readonly jobs: JobRegistry;
  readonly embeddings: NodeEmbeddings;
}

/** So many are found of each node: more are not one thing. */
const NEAR_COUNT = 5;

/** Nodes that may be one thing, and those that become one. */
export function buildDuplicates(
  { reader, commits, audit }: Foundation,
  { jobs, embeddings }: DuplicateArguments,
): Duplicates {
  const caller = serverCaller('duplicates');
  const near: DuplicateParts['near'] = async (id, type, signal) => {
    reader.refresh();
    const uid = reader.uid(id);
    if (uid === undefined || !embeddings.has(caller, uid)) return [];
    const wanted = { uid, types: [type], count: NEAR_COUNT };
    const found: unknown = JSON.parse(await embeddings.similar(caller, wanted, signal));
    return (found as readonly { node: { UID: string }; score: number }[]).flatMap(
      ({ node, score }) => {
        const other = reader.id({ uid: node.UID });
        return other === undefined ? [] : [{ id: other, cosine: score }];
      },
    );
  };
  const merges = new MergeService({ reader, commits, audit });
  const duplicates = new DuplicateService({ reader, commits, audit, jobs, near }, merges);
  return { duplicates, merges, [Symbol.asyncDispose]: () => duplicates[Symbol.asyncDispose]() };
}
