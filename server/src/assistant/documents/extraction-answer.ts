import {
  EXTRACTION_BATCH_PROPOSALS_MAX,
  EXTRACTION_VALUES_CHARACTERS_MAX,
} from '#base/assistant-limits.ts';
import { foldedText } from '../support/passages.ts';
import { objectInAnswer } from '../model/json-answer.ts';
import { listIn } from '../router/json-members.ts';
import type { Values } from './evidence.ts';
import type { ExtractionTarget } from './extraction-target.ts';
import { placeOfWords, type Quotes } from './quotes.ts';

interface NodeEnd {
  readonly type: string;
  readonly key: string;
}

/** A proposal without its place in a run. */
export interface Found {
  readonly kind: 'node' | 'edge';
  readonly type: string;
  /** Null for an edge. */
  readonly key: string | null;
  readonly fields: Values;
  /** Null for a node. */
  readonly from: NodeEnd | null;
  readonly to: NodeEnd | null;
  readonly confidence: number;
  readonly unquoted: readonly string[];
  /** As it stands in the text, and where in the batch. */
  readonly quote: string;
  readonly offset: number;
}

export interface Dropped {
  readonly quote: number;
  readonly schema: number;
}

/** What an answer proposes of one batch, and how much of it was dropped. */
export interface BatchFindings {
  readonly found: readonly Found[];
  readonly dropped: Dropped;
}

const READ_MAX = 10 * EXTRACTION_BATCH_PROPOSALS_MAX;

/**
 * Reads what a model says of a text. Undefined when it is no answer at all; what does not fit the
 * schema, and what rests on a quote that the text does not have, is dropped.
 */
export function findingsIn(
  said: string,
  {
    text,
    quotes,
    target,
  }: { readonly text: string; readonly quotes: Quotes; readonly target: ExtractionTarget },
): BatchFindings | undefined {
  const answer = objectInAnswer(said);
  if (answer === undefined || !Array.isArray(answer['nodes'])) return undefined;
  const found: Found[] = [];
  const dropped = { quote: 0, schema: 0 };
  const seen = new Set<string>();
  const take = (one: Omit<Found, 'unquoted' | 'offset'> | undefined): void => {
    const isSmall =
      one !== undefined && JSON.stringify(one.fields).length <= EXTRACTION_VALUES_CHARACTERS_MAX;
    if (!isSmall || found.length >= EXTRACTION_BATCH_PROPOSALS_MAX) return void dropped.schema++;
    const place = quotes.find(one.quote);
    if (place === undefined) return void dropped.quote++;
    const quote = text.slice(place.start, place.end);
    const proposal = { ...one, quote, offset: place.start, unquoted: unquotedOf(one, quote) };
    const { confidence: _confidence, ...same } = proposal;
    const identity = JSON.stringify(same);
    if (seen.has(identity)) return;
    seen.add(identity);
    found.push(proposal);
  };
  const [nodes, edges] = [listIn(answer['nodes']), listIn(answer['edges'])];
  // A quote is looked for in all of the text: an answer of megabytes is not read to its end.
  const [someNodes, someEdges] = [nodes.slice(0, READ_MAX), edges.slice(0, READ_MAX)];
  dropped.schema += nodes.length - someNodes.length + edges.length - someEdges.length;
  for (const value of someNodes) {
    const node = target.node(value);
    take(node && { ...node, kind: 'node', from: null, to: null });
  }
  for (const value of someEdges) {
    const edge = target.edge(value);
    if (edge === undefined) dropped.schema++;
    else {
      const { edge: type, ...rest } = edge;
      take({ ...rest, kind: 'edge', type, key: null, fields: {} });
    }
  }
  return { found, dropped };
}

/** Fields whose values do not stand in the quote: a person should look at them. */
export function unquotedOf({ fields }: Pick<Found, 'fields'>, quote: string): string[] {
  const text = plain(quote);
  const isIn = (value: unknown): boolean =>
    Array.isArray(value) ? value.every(isIn) : placeOfWords(text, plain(String(value))) >= 0;
  return Object.keys(fields).filter((field) => !isIn(fields[field]));
}

/** In lower case, numbers without separators of thousands. */
function plain(text: string): string {
  return foldedText(text)
    .toLowerCase()
    .replaceAll(/(?<=\d)[,.'\s](?=\d{3}(?!\d))/g, '');
}
