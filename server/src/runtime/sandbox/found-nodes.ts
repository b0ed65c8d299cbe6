import { QueryContext } from '#graph/query/query-context.ts';
import type { GraphReader, Visibility } from '#graph/reader.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { shownNode } from '#search/service/present-hit.ts';
import type { SearchAnswer } from '#search/service/searcher.ts';

/**
 * What a search has found, with the nodes as they are at the commit of a reader. The index is ahead
 * of it: a node that is not there yet is left out, and one that is another one by now has no
 * highlights, which are of its newer text.
 */
export function foundAt(
  reader: StateReader,
  visibility: Visibility | undefined,
  json: string,
): string {
  const answer = JSON.parse(json) as SearchAnswer;
  const context = new QueryContext(reader, visibility, undefined);
  const hits = answer.hits.flatMap((hit) => {
    const id = context.idOfUid(hit.node.UID);
    const shown = id === undefined ? undefined : shownNode(context, id);
    if (shown === undefined) return [];
    const { node, fileOf: _former, ...rest } = hit;
    const isSame = JSON.stringify(shown.node) === JSON.stringify(node);
    return [{ ...rest, ...shown, highlights: isSame ? hit.highlights : [] }];
  });
  const total = answer.total - (answer.hits.length - hits.length);
  return JSON.stringify({ ...answer, hits, total });
}

/** Reads the nodes that were found, for whoever notes what is read. */
export function readFound(reader: GraphReader, json: string): void {
  for (const { node } of (JSON.parse(json) as SearchAnswer).hits) {
    const id = reader.id({ uid: node.UID });
    if (id !== undefined) reader.node(id);
  }
}
