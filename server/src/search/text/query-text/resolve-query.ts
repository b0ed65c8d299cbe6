import { unreachable } from '#base/assert.ts';
import { SEARCH_QUERY_COMBINATIONS_MAX } from '#base/search-limits.ts';
import type { Alternative, QueryGroup, TextQuery } from '../text-query.ts';
import { type TermOrigin, WordExpander, type WordSources } from './expand-word.ts';
import type { QueryNode, WordNode } from './parse-query-text.ts';

export interface ResolveOptions extends WordSources {
  /** The index's numbers of a field named in the query. */
  readonly fieldsOf: (name: string) => readonly number[];
  /** All words, or any of them; the query's signs, fields and phrases hold in both. */
  readonly match: 'all' | 'any';
}

export interface ResolvedQuery {
  /**
   * Has no group if nothing in the text can be searched; the index would then return all documents.
   */
  readonly query: TextQuery;
  /** Term -> why it is in the query. */
  readonly origins: ReadonlyMap<string, readonly TermOrigin[]>;
}

/** Alternatives in fields, or in all of them. */
interface Condition {
  readonly alternatives: readonly Alternative[];
  readonly fields: readonly number[] | undefined;
}

/**
 * Turns the text of a query into groups for the index, which does not nest: brackets are multiplied
 * out, so `a OR (b c)` becomes a or b, and a or c. What would not fit is loosened, never refused:
 *
 * - `OR` over different fields searches each word in all of these fields;
 * - a `-word` beside `OR` is dropped, and `-(a b)` excludes documents with either;
 * - brackets that give more than `SEARCH_QUERY_COMBINATIONS_MAX` groups become one group of all
 *   their words.
 *
 * Stop words are dropped if other words remain.
 */
export function resolveQuery(nodes: readonly QueryNode[], options: ResolveOptions): ResolvedQuery {
  const resolver = new QueryResolver(options);
  resolver.addAll(nodes, undefined);
  return { query: { groups: resolver.groups }, origins: resolver.expander.origins };
}

class QueryResolver {
  readonly groups: QueryGroup[] = [];
  readonly expander: WordExpander;
  readonly #options: ResolveOptions;
  /** Alternatives of a word that come from synonyms of a whole run. */
  readonly #instead = new Map<QueryNode, Alternative[]>();

  constructor(options: ResolveOptions) {
    this.#options = options;
    this.expander = new WordExpander(options);
  }

  addAll(nodes: readonly QueryNode[], fields: readonly number[] | undefined): void {
    this.#expandRows(nodes);
    for (const node of this.#withoutStopWords(nodes)) this.#add(node, fields, false);
  }

  /**
   * Synonyms of several words in a row, such as `new york`: each word may be replaced by one.
   * Together they ask for the words or the synonym: `(a or s) and (b or s)` is `(a and b) or s`.
   */
  #expandRows(nodes: readonly QueryNode[]): void {
    if (this.#options.synonymsOf === undefined) return;
    for (const run of runsOfWords(nodes)) {
      for (const { words, instead } of this.expander.rows(run.map(({ text }) => text))) {
        for (const i of words) {
          const word = run[i]!;
          this.#instead.set(word, [...(this.#instead.get(word) ?? []), ...instead]);
        }
      }
    }
  }

  #add(node: QueryNode, fields: readonly number[] | undefined, isRefused: boolean): void {
    if (node.kind === 'not') this.#add(node.node, fields, !isRefused);
    else if (node.kind === 'field') {
      this.#add(node.node, this.#options.fieldsOf(node.field), isRefused);
    } else if (isRefused) this.#refuse(node, fields);
    else if (node.kind === 'and') this.addAll(node.nodes, fields);
    else this.#require(node, fields);
  }

  #require(node: QueryNode, fields: readonly number[] | undefined): void {
    const isAny = this.#options.match === 'any';
    for (const condition of this.#conditions(node, fields)) {
      this.#push(isAny && node.kind !== 'phrase' ? 'should' : 'must', condition);
    }
    if (!isAny || node.kind !== 'word') return;
    for (const alternatives of this.expander.tokens(node.text)) {
      this.#push('should', { alternatives, fields });
    }
  }

  /** Excludes the words, but not their typos and synonyms. */
  #refuse(node: QueryNode, fields: readonly number[] | undefined): void {
    if (node.kind === 'and' || node.kind === 'or') {
      for (const part of node.nodes) this.#add(part, fields, true);
    } else if (node.kind === 'prefix') {
      this.#push('not', { alternatives: this.expander.prefix(node.text), fields });
    } else if (node.kind === 'word' || node.kind === 'phrase') {
      this.#push('not', { alternatives: this.expander.phrase(node.text), fields });
    }
  }

  #push(occurrence: QueryGroup['occurrence'], { alternatives, fields }: Condition): void {
    if (alternatives.length === 0) return;
    this.groups.push({ occurrence, alternatives, ...(fields === undefined ? {} : { fields }) });
  }

  /** Conditions that all hold if the node matches. */
  #conditions(node: QueryNode, fields: readonly number[] | undefined): Condition[] {
    switch (node.kind) {
      case 'word':
        return some(this.#word(node), fields);
      case 'prefix':
        return some(this.expander.prefix(node.text), fields);
      case 'phrase':
        return some(this.expander.phrase(node.text), fields);
      case 'field':
        return this.#conditions(node.node, this.#options.fieldsOf(node.field));
      case 'not':
        return [];
      case 'and':
        this.#expandRows(node.nodes);
        return this.#withoutStopWords(node.nodes).flatMap((part) => this.#conditions(part, fields));
      case 'or':
        return eitherOf(
          node.nodes
            .map((part) => this.#conditions(part, fields))
            .filter(({ length }) => length > 0),
        );
      default:
        return unreachable(node);
    }
  }

  #word(node: WordNode): Alternative[] {
    const alternatives = this.expander.word(node.text);
    if (alternatives.length === 0) return [];
    return [...alternatives, ...(this.#instead.get(node) ?? [])];
  }

  #withoutStopWords(nodes: readonly QueryNode[]): readonly QueryNode[] {
    const others = nodes.filter(
      (node) => node.kind !== 'word' || !this.expander.isStopWord(node.text),
    );
    return others.some(({ kind }) => kind !== 'not') ? others : nodes;
  }
}

/** Words that stand side by side, two or more. */
function runsOfWords(nodes: readonly QueryNode[]): WordNode[][] {
  const runs: WordNode[][] = [[]];
  for (const node of nodes) {
    if (node.kind === 'word') runs.at(-1)!.push(node);
    else runs.push([]);
  }
  return runs.filter(({ length }) => length > 1);
}

function some(
  alternatives: readonly Alternative[],
  fields: readonly number[] | undefined,
): Condition[] {
  return alternatives.length === 0 ? [] : [{ alternatives, fields }];
}

/** Every combination of one condition from each branch. */
function eitherOf(branches: readonly (readonly Condition[])[]): Condition[] {
  const count = branches.reduce((product, branch) => product * branch.length, 1);
  if (branches.length === 0) return [];
  if (count > SEARCH_QUERY_COMBINATIONS_MAX) return [united(branches.flat())];
  let combinations: Condition[][] = [[]];
  for (const branch of branches) {
    combinations = combinations.flatMap((chosen) => branch.map((one) => [...chosen, one]));
  }
  return combinations.map(united);
}

function united(conditions: readonly Condition[]): Condition {
  const alternatives = conditions.flatMap((condition) => condition.alternatives);
  const isAnywhere = conditions.some(({ fields }) => fields === undefined);
  const fields = conditions.flatMap((condition) => condition.fields ?? []);
  return { alternatives, fields: isAnywhere ? undefined : [...new Set(fields)] };
}
