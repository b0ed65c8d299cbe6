import { SEARCH_NAME_COMPLETIONS_MAX } from '#base/search-limits.ts';
import { foldName, longerNamesTerm, wholeNameTerm } from '../../analysis/fold-name.ts';
import type { IndexView } from '../index-view.ts';
import type { QueryGroup } from '../text-query.ts';
import type { QueryNode } from './parse-query-text.ts';

/** The names that a query may be, as terms of the index; empty where the view has none of them. */
export interface NameTerms {
  /** Names that the query is. */
  readonly whole: readonly string[];
  /** Names that begin with the query, and go on with another word. */
  readonly longer: readonly string[];
}

/**
 * Looks for names in what a query says: in its words in their order, and in its text as it is, as
 * a name may have signs. If the last word is only begun, as in `har*`, names that go on with any
 * letter count as longer, unless they are more than `SEARCH_NAME_COMPLETIONS_MAX`.
 */
export function nameTermsOf(view: IndexView, text: string, nodes: readonly QueryNode[]): NameTerms {
  const plain = plainText(nodes);
  const said = foldName(plain?.words.join(' ') ?? '');
  const names = [...new Set([said, foldName(text)])].filter((name) => name !== '');
  const longer = said === '' ? undefined : longerNamesTerm(said);
  const begun = plain?.isBegun === true && said !== '' ? completed(view, said) : [];
  return {
    whole: names.map(wholeNameTerm).filter((term) => isIn(view, term)),
    longer: [...(longer === undefined ? [] : [longer]), ...begun].filter((term) =>
      isIn(view, term),
    ),
  };
}

/** So small that names do not change scores. */
const WEIGHT = 1e-12;

/** A group for a query: nodes that have one of these names, or none of them. */
export function nameGroup(occurrence: 'must' | 'not', terms: readonly string[]): QueryGroup {
  return {
    occurrence,
    alternatives: terms.map((term) => ({ kind: 'term', term, weight: WEIGHT })),
  };
}

/** The groups, each of which a node also matches by having one of these names. */
export function orNamed(groups: readonly QueryGroup[], terms: readonly string[]): QueryGroup[] {
  if (terms.length === 0) return [...groups];
  const { alternatives } = nameGroup('must', terms);
  const asked = groups.filter(({ occurrence }) => occurrence !== 'not');
  if (asked.length === 0) return [...groups, { occurrence: 'must', alternatives }];
  return groups.map((group) =>
    group.occurrence === 'not'
      ? group
      : { ...group, alternatives: [...group.alternatives, ...alternatives] },
  );
}

function isIn(view: IndexView, term: string): boolean {
  return view.documentCountOf(view.parts.map(({ segment }) => segment.terms.find(term))) > 0;
}

/** The terms of names that begin with this one; none if they are too many. */
function completed(view: IndexView, folded: string): string[] {
  const prefix = wholeNameTerm(folded);
  const terms = new Set<string>();
  for (const { segment } of view.parts) {
    const [from, to] = segment.terms.startingWith(prefix);
    if (to - from > SEARCH_NAME_COMPLETIONS_MAX) return [];
    for (let term = from; term < to; term++) terms.add(segment.terms.get(term));
  }
  terms.delete(prefix);
  return terms.size > SEARCH_NAME_COMPLETIONS_MAX ? [] : [...terms];
}

interface PlainText {
  readonly words: string[];
  /** The last word may go on. */
  isBegun: boolean;
}

/** The words of a query without signs other than those of words and phrases. */
function plainText(nodes: readonly QueryNode[]): PlainText | undefined {
  const text: PlainText = { words: [], isBegun: false };
  return addPlain(nodes, text) ? text : undefined;
}

function addPlain(nodes: readonly QueryNode[], text: PlainText): boolean {
  return nodes.every((node) => {
    if (text.isBegun) return false;
    if (node.kind === 'and') return addPlain(node.nodes, text);
    if (node.kind === 'or') return addBegun(node.nodes, text);
    if (node.kind === 'not' || node.kind === 'field') return false;
    text.words.push(node.text);
    text.isBegun = node.kind === 'prefix';
    return true;
  });
}

/** `(har OR har*)`, as what somebody types is searched. */
function addBegun([word, prefix, ...others]: readonly QueryNode[], text: PlainText): boolean {
  if (word?.kind !== 'word' || prefix?.kind !== 'prefix' || others.length > 0) return false;
  if (word.text !== prefix.text) return false;
  text.words.push(word.text);
  text.isBegun = true;
  return true;
}
