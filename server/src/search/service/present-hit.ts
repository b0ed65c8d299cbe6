import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { FILE_TYPE, HAS_FILE } from '#graph/file-nodes.ts';
import type { QueryContext } from '#graph/query/query-context.ts';
import type { RankedHit, SideScore } from './fusion.ts';
import type { PreparedSearch } from './prepared-search.ts';
import { explainHit } from '../text/explain-hit.ts';
import type { PlannedText } from '../settings/index-plan.ts';
import type { FoundHit, NameMatch } from './text-run.ts';
import { fittedTo, highlight, type Snippet } from '../text/highlight/highlight.ts';
import type { TextQuery } from '../text/text-query.ts';
import type { TextHit } from '../text/text-search.ts';
import { chunksOf } from '../embeddings/embedding-record.ts';
import type { VectorCandidate } from './vector-candidates.ts';
import type { OpenedSnapshot } from './opened-snapshot.ts';

/** The same shape as that of `@trellis/endpoint`. */
export interface SearchHit {
  readonly node: NodeObject;
  readonly score: number;
  readonly from: 'text' | 'vector' | 'both';
  readonly highlights: readonly FieldHighlight[];
  /** If the hit is a file, the node that it belongs to. */
  readonly fileOf?: NodeObject;
  readonly explain?: HitExplanation;
}

/** A hit as its searcher may see it; undefined if the node is gone. */
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
      ...asHit(context, hit.node, node),
      score,
      from,
      highlights,
      ...(request.explain ? { explain: explain(search, found) } : {}),
    },
  ];
}

/** A node as a hit shows it; undefined if there is none. */
export function shownNode(context: QueryContext, id: number): ShownNode | undefined {
  const node = context.node(id);
  return node === undefined ? undefined : asHit(context, id, node);
}

type ShownNode = Pick<SearchHit, 'node' | 'fileOf'>;

function asHit(context: QueryContext, id: number, node: NodeObject): ShownNode {
  return node.Type === FILE_TYPE ? { node: withoutText(node), ...fileOf(context, id) } : { node };
}

/** Leaves out the text, which may be long: highlights show what matters. */
function withoutText({ Text: _text, ...node }: NodeObject): NodeObject {
  return node as NodeObject;
}

function fileOf(context: QueryContext, id: number): { readonly fileOf?: NodeObject } {
  const of = context.reader.neighbors(id, 'in', HAS_FILE).find((one) => context.sees(one));
  const node = of === undefined ? undefined : context.node(of);
  return node === undefined ? {} : { fileOf: node };
}

function explain(search: PreparedSearch, found: RankedHit): HitExplanation {
  const { scope, decay } = search;
  const { hit, words, nearest, sides, score } = found;
  const texts = scope.texts.get(hit.type) ?? [];
  const ofWords = words && explanationOf(search, words, texts);
  if (ofWords !== undefined && sides === undefined) return ofWords;
  return {
    score,
    parts: ofWords?.parts ?? [],
    ...(ofWords?.name && { name: ofWords.name }),
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

/** The same shape as that of `@trellis/endpoint`. */
interface HitExplanation {
  readonly score: number;
  readonly parts: readonly ExplainedPart[];
  readonly name?: ExplainedName;
  readonly decay?: number;
  /** What the two sides of a hybrid search give: the score is their sum. */
  readonly text?: SideScore;
  readonly vector?: SideScore & {
    readonly field: string;
    readonly model: string;
    readonly similarity: number;
  };
}

/** Why a hit comes before others. What a hit is worth decides among those that are named alike. */
interface ExplainedName {
  readonly match: NameMatch;
  readonly typeWeight?: number;
  readonly connections?: number;
}

interface ExplainedPart {
  readonly field: string;
  readonly term: string;
  readonly word: string;
  readonly origin: 'word' | 'typo' | 'prefix' | 'synonym';
  readonly score: number;
}

/**
 * The part of the words in the score of a hit. `texts`: fields of its type that the searcher may
 * see.
 */
function explanationOf(
  search: PreparedSearch,
  { hit, resolved: { origins }, query, name: match, options }: FoundHit,
  texts: readonly PlannedText[],
): HitExplanation {
  const { score, decay, contributions } = explainHit(
    search.sources.snapshot.view,
    hit,
    query,
    options,
  );
  const names = new Map(texts.map(({ field, name }) => [field, name]));
  return {
    score,
    ...(match && { name: explainedName(match, search, hit) }),
    parts: contributions.map(({ field, term, weight, contribution }) => {
      const known = origins.get(term) ?? [];
      const origin = known.find((one) => one.weight === weight) ?? known[0];
      return {
        field: names.get(field) ?? '',
        term,
        word: origin?.asked ?? term,
        origin: origin?.kind ?? 'word',
        score: contribution,
      };
    }),
    ...(options.decay === undefined ? {} : { decay }),
  };
}

function explainedName(
  match: NameMatch,
  search: PreparedSearch,
  { node, type }: TextHit,
): ExplainedName {
  if (match !== 'whole') return { match };
  const typeWeight = search.scope.types.get(type)?.weight ?? 0;
  return { match, typeWeight, connections: search.connectionsOf(node) };
}

/** The same shape as that of `@trellis/endpoint`. */
interface FieldHighlight {
  readonly field: string;
  readonly snippets: readonly (Snippet & { readonly item?: number })[];
}

/**
 * Where a node as shown has the words of a query. `texts`: its fields that the searcher may see.
 */
function highlightsOf(
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
 * The beginning of the text piece whose vector found a node. Nothing for a vector that came with
 * the node, or if the text has become shorter since.
 */
function beginningOf(node: NodeObject, nearest: VectorCandidate | undefined): FieldHighlight[] {
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
      // Only white space is between two pieces.
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
