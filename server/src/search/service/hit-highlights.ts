import type { NodeObject } from '#graph/reader.ts';
import type { PlannedText } from '../settings/index-plan.ts';
import { highlight, type Snippet } from '../text/highlight/highlight.ts';
import type { TextQuery } from '../text/text-query.ts';
import type { TextHit } from '../text/text-search.ts';
import { chunksOf } from '../embeddings/chunks.ts';
import { fittedTo } from '../text/highlight/passage.ts';
import type { VectorCandidate } from './vector-candidates.ts';
import type { OpenedSnapshot } from './opened-snapshot.ts';

/** The same shape as that of `@trellis/endpoint`. */
export interface FieldHighlight {
  readonly field: string;
  readonly snippets: readonly (Snippet & { readonly item?: number })[];
}

/** Where the words of a query stand in a node as it is shown. `texts` are those of its fields that the searcher may see. */
export function highlightsOf(
  node: NodeObject,
  hit: TextHit,
  texts: readonly PlannedText[],
  query: TextQuery,
  snapshot: OpenedSnapshot,
): FieldHighlight[] {
  return texts.flatMap((text) => {
    const value = node[text.name];
    const analyzer = snapshot.analyzerOf(text, hit.language);
    const snippetsOf = (one: unknown): readonly Snippet[] =>
      typeof one === 'string' ? highlight(one, analyzer, query, text.field) : [];
    const snippets = Array.isArray(value)
      ? value.flatMap((one, item) => snippetsOf(one).map((snippet) => ({ ...snippet, item })))
      : snippetsOf(value);
    return snippets.length === 0 ? [] : [{ field: text.name, snippets }];
  });
}

/**
 * How the piece of text begins by whose vector a node was found. Nothing of a vector that came with the node, nor of a text that
 * has become shorter since.
 */
export function beginningOf(
  node: NodeObject,
  nearest: VectorCandidate | undefined,
): FieldHighlight[] {
  const { name, chunk: charactersMax } = nearest?.of.field ?? {};
  if (nearest === undefined || name === undefined || charactersMax === undefined) return [];
  const value = node[name];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  let number = 0;
  for (const [item, one] of values.entries()) {
    if (typeof one !== 'string') continue;
    const text = one.toWellFormed();
    let end = 0;
    for (const piece of chunksOf(one, charactersMax)) {
      // Between two pieces is only white space.
      const start = text.indexOf(piece, end);
      end = start + piece.length;
      if (number++ < nearest.chunk) continue;
      const shown = fittedTo(piece, { start: 0, end: 0 });
      const snippet = { text: piece.slice(0, shown.end), start, matches: [] };
      return [{ field: name, snippets: [Array.isArray(value) ? { ...snippet, item } : snippet] }];
    }
  }
  return [];
}
