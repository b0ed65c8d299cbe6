import { SEARCH_NAME_COMPLETIONS_MAX } from '#base/search-limits.ts';
import { foldName } from '../../analysis/fold-name.ts';
import type { IndexView } from '../index-view.ts';
import type { AskedName, QueryGroup } from '../text-query.ts';
import type { QueryNode } from './parse-query-text.ts';

/** The names that a query may be; empty where the view has none of them. */
export interface QueryNames {
  /** Names that the query is. */
  readonly whole: readonly AskedName[];
  /**
   * Names that begin with the query, and go on. They may include those that it is: a search for
   * them leaves out nodes of these.
   */
  readonly longer: readonly AskedName[];
}

/**
 * Looks for names in what a query says: in its words in their order, and in its text as it is, as
 * a name may have signs. If the last word is only begun, as in `har*`, names that go on with any
 * letter count as longer, unless they are more than `SEARCH_NAME_COMPLETIONS_MAX`.
 */
export function queryNamesOf(
  view: IndexView,
  text: string,
  nodes: readonly QueryNode[],
): QueryNames {
  const plain = plainText(nodes);
  const said = foldName(plain?.words.join(' ') ?? '');
  const names = [...new Set([said, foldName(text)])].filter((name) => name !== '');
  const whole = names.map((name): AskedName => ({ name, match: 'whole' }));
  const match = plain?.isBegun === true && areFew(view, said) ? 'letters' : 'words';
  const longer: AskedName[] = said === '' ? [] : [{ name: said, match }];
  return {
    whole: whole.filter((name) => isIn(view, name)),
    longer: longer.filter((name) => isIn(view, name)),
  };
}

/** A group for a query: nodes that have one of these names, or none of them. */
export function nameGroup(occurrence: 'must' | 'not', names: readonly AskedName[]): QueryGroup {
  return { occurrence, alternatives: [], names };
}

/** The groups, each of which a node also matches by having one of these names. */
export function orNamed(groups: readonly QueryGroup[], names: readonly AskedName[]): QueryGroup[] {
  if (names.length === 0) return [...groups];
  const asked = groups.filter(({ occurrence }) => occurrence !== 'not');
  if (asked.length === 0) return [...groups, nameGroup('must', names)];
  return groups.map((group) => (group.occurrence === 'not' ? group : { ...group, names }));
}

/** Whether a node that may be seen has the name, in a field that may be seen or not. */
function isIn(view: IndexView, name: AskedName): boolean {
  return view.parts.some(({ segment }, part) =>
    segment.names.someEntry(segment.names.entriesMeant(name), (document) =>
      view.isCounted(part, document),
    ),
  );
}

/** Whether few names begin with these letters. */
function areFew(view: IndexView, folded: string): boolean {
  // With itself.
  const fewInPart = SEARCH_NAME_COMPLETIONS_MAX + 1;
  if (view.parts.some(({ segment }) => segment.names.hasMoreFrom(folded, fewInPart))) return false;
  const all = new Set<string>();
  for (const { segment } of view.parts) {
    const names = segment.names.namesFrom(folded, SEARCH_NAME_COMPLETIONS_MAX + 2);
    for (const name of names) all.add(name);
  }
  all.delete(folded);
  return all.size <= SEARCH_NAME_COMPLETIONS_MAX;
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
