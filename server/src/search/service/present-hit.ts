import { FILE_TYPE, HAS_FILE } from '#graph/file-nodes.ts';
import type { NodeObject } from '#graph/reader.ts';
import { explanationOf, type HitExplanation } from './hit-explanation.ts';
import { beginningOf, highlightsOf, type FieldHighlight } from './hit-highlights.ts';
import type { RankedHit } from './fusion.ts';
import type { PreparedSearch } from './prepared-search.ts';

/** The same shape as that of `@trellis/endpoint`. */
export interface SearchHit {
  readonly node: NodeObject;
  readonly score: number;
  readonly from: 'text' | 'vector' | 'both';
  readonly highlights: readonly FieldHighlight[];
  /** Of a file: the node that it belongs to. */
  readonly fileOf?: NodeObject;
  readonly explain?: HitExplanation;
}

/** A hit as its searcher may see it. Nothing for a node that is gone since it was indexed. */
export function presentHit(search: PreparedSearch, found: RankedHit): SearchHit[] {
  const { context, scope, sources, request } = search;
  const { hit, words, nearest, score } = found;
  const node = context.node(hit.node);
  if (node === undefined) return [];
  const texts = scope.texts.get(hit.type) ?? [];
  const highlights =
    words === undefined
      ? beginningOf(node, nearest)
      : highlightsOf(node, hit, texts, words.resolved.query, sources.snapshot);
  const from = words === undefined ? 'vector' : nearest === undefined ? 'text' : 'both';
  return [
    {
      node: node.Type === FILE_TYPE ? withoutText(node) : node,
      score,
      from,
      highlights,
      ...fileOf(search, hit.node, node.Type),
      ...(request.explain ? { explain: explain(search, found) } : {}),
    },
  ];
}

/** The highlights show what of the text matters: all of it may be long. */
function withoutText({ Text: _text, ...node }: NodeObject): NodeObject {
  return node as NodeObject;
}

function fileOf(
  { context }: PreparedSearch,
  id: number,
  type: string,
): { readonly fileOf?: NodeObject } {
  if (type !== FILE_TYPE) return {};
  const of = context.reader.neighbors(id, 'in', HAS_FILE).find((one) => context.sees(one));
  const node = of === undefined ? undefined : context.node(of);
  return node === undefined ? {} : { fileOf: node };
}

function explain(search: PreparedSearch, found: RankedHit): HitExplanation {
  const { scope, sources, decay } = search;
  const { hit, words, nearest, sides, score } = found;
  const texts = scope.texts.get(hit.type) ?? [];
  const ofWords = words && explanationOf(sources.snapshot.view, words, texts);
  if (ofWords !== undefined && sides === undefined) return ofWords;
  return {
    score,
    parts: ofWords?.parts ?? [],
    ...(decay && { decay: decay(hit.timestampMs) }),
    ...(sides?.text && { text: sides.text }),
    ...(nearest &&
      sides?.vector && {
        vector: {
          field: nearest.of.field.name,
          model: nearest.of.index.model,
          similarity: nearest.similarity,
          ...sides.vector,
        },
      }),
  };
}
