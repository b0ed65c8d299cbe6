import type { FieldNames, FieldText, IndexedDocument } from '../segment-builder.ts';
import type { Alternative, AskedName, QueryGroup, TextQuery } from '../text-query.ts';

export interface ExhaustiveOptions {
  readonly isVisible?: (type: number, field: number) => boolean;
  readonly accepts?: (document: IndexedDocument) => boolean;
  readonly decay?: (timestampMs: number) => number;
}

export interface ExhaustiveHit {
  readonly document: IndexedDocument;
  readonly score: number;
}

/**
 * Searches by looking at each document, with BM25F written down as in the paper. All matches, the
 * best one first.
 */
export function exhaustiveSearch(
  documents: readonly IndexedDocument[],
  query: TextQuery,
  options: ExhaustiveOptions = {},
): ExhaustiveHit[] {
  const statistics = new Statistics(documents);
  const hits: ExhaustiveHit[] = [];
  for (const document of documents) {
    if (options.accepts?.(document) === false) continue;
    const score = scoreOf(document, query, statistics, options);
    if (score === undefined) continue;
    hits.push({ document, score: score * (options.decay?.(document.timestampMs) ?? 1) });
  }
  return hits.toSorted((a, b) => b.score - a.score || a.document.node - b.document.node);
}

class Statistics {
  readonly #documents: readonly IndexedDocument[];
  readonly #counts = new Map<string, number>();
  readonly #averages = new Map<number, number>();

  constructor(documents: readonly IndexedDocument[]) {
    this.#documents = documents;
  }

  idf(terms: readonly string[]): number {
    const count = Math.max(0, ...terms.map((term) => this.#count(term)));
    return Math.log(1 + (this.#documents.length - count + 0.5) / (count + 0.5));
  }

  averageLength(field: number): number {
    const known = this.#averages.get(field);
    if (known !== undefined) return known;
    const texts = this.#documents.flatMap(({ fields }) =>
      fields.filter((text) => text.field === field && text.tokens.length > 0),
    );
    const average = texts.reduce((sum, { tokens }) => sum + tokens.length, 0) / texts.length;
    this.#averages.set(field, average);
    return average;
  }

  #count(term: string): number {
    let count = this.#counts.get(term);
    if (count === undefined) {
      count = this.#documents.filter((document) => hasTerm(document, term)).length;
      this.#counts.set(term, count);
    }
    return count;
  }
}

function hasTerm({ fields }: IndexedDocument, term: string): boolean {
  return fields.some(({ tokens }) => tokens.some((token) => token.term === term));
}

/** Undefined where the document does not match. */
function scoreOf(
  document: IndexedDocument,
  { groups }: TextQuery,
  statistics: Statistics,
  options: ExhaustiveOptions,
): number | undefined {
  const scores = groups.map((group) => groupScore(document, group, statistics, options));
  const are = (occurrence: QueryGroup['occurrence']): (number | undefined)[] =>
    scores.filter((_, index) => groups[index]!.occurrence === occurrence);
  if (are('not').some((score) => score !== undefined)) return undefined;
  const musts = are('must');
  const shoulds = are('should');
  if (musts.includes(undefined)) return undefined;
  if (musts.length + shoulds.length === 0) return 1;
  if (musts.length === 0 && shoulds.every((score) => score === undefined)) return undefined;
  return [...musts, ...shoulds].reduce<number>((sum, score) => sum + (score ?? 0), 0);
}

function groupScore(
  document: IndexedDocument,
  group: QueryGroup,
  statistics: Statistics,
  { isVisible = () => true }: ExhaustiveOptions,
): number | undefined {
  const isAsked = ({ field }: { readonly field: number }): boolean =>
    isVisible(document.type, field) && (group.fields === undefined || group.fields.includes(field));
  const fields = document.fields.filter(isAsked);
  const names = (document.names ?? []).filter(isAsked);
  const terms = group.alternatives.flatMap((one) => (one.kind === 'term' ? [one.term] : []));
  const idf = statistics.idf(terms);
  const scores = group.alternatives.flatMap((one) => {
    const score = alternativeScore(fields, one, idf, statistics);
    return score === undefined ? [] : [score];
  });
  if (group.names?.some((name) => isCalled(names, name))) scores.push(0);
  return scores.length === 0 ? undefined : Math.max(...scores);
}

function isCalled(fields: readonly FieldNames[], { name, match }: AskedName): boolean {
  const isMeant = (other: string): boolean =>
    match === 'whole' ? other === name : other.startsWith(match === 'words' ? `${name} ` : name);
  return fields.some(({ names }) => names.some(isMeant));
}

function alternativeScore(
  fields: readonly FieldText[],
  alternative: Alternative,
  idf: number,
  statistics: Statistics,
): number | undefined {
  const { weight } = alternative;
  if (alternative.kind === 'term') {
    const score = termScore(fields, alternative.term, idf, statistics);
    return score === 0 ? undefined : score * weight;
  }
  if (!fields.some((field) => hasPhrase(field, alternative.words))) return undefined;
  return alternative.words.reduce((sum, { terms }) => {
    const wordIdf = statistics.idf(terms);
    const scores = terms.map((term) => termScore(fields, term, wordIdf, statistics));
    return sum + Math.max(...scores) * weight;
  }, 0);
}

function hasPhrase(
  { tokens }: FieldText,
  words: readonly { readonly offset: number; readonly terms: readonly string[] }[],
): boolean {
  return tokens.some(({ position }) =>
    words.every(({ offset, terms }) =>
      tokens.some(
        (token) =>
          token.position === position - words[0]!.offset + offset && terms.includes(token.term),
      ),
    ),
  );
}

function termScore(
  fields: readonly FieldText[],
  term: string,
  idf: number,
  statistics: Statistics,
): number {
  let weight = 0;
  for (const { field, boost, tokens } of fields) {
    const frequency = tokens.filter((token) => token.term === term).length;
    const relative = (tokens.length + 4) / (statistics.averageLength(field) + 4);
    const norm = 1 - 0.75 + 0.75 * relative;
    if (frequency > 0) weight += (boost * frequency) / norm;
  }
  return (idf * 2.2 * weight) / (weight + 1.2);
}
