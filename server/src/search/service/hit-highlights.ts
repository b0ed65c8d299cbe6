import type { NodeObject } from '#graph/reader.ts';
import type { PlannedText } from '../settings/index-plan.ts';
import { highlight, type Snippet } from '../text/highlight/highlight.ts';
import type { TextQuery } from '../text/text-query.ts';
import type { TextHit } from '../text/text-search.ts';
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
