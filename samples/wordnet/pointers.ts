/**
 * The part of speech of a data file, as pointers name it: noun, verb, adjective (satellites too),
 * adverb.
 */
export type PartOfSpeech = 'n' | 'v' | 'a' | 'r';

/**
 * Pointer symbols and the edge types made of them; the names are those of wninput(5WN), without
 * spaces.
 */
const EDGE_TYPE_OF_SYMBOL: Readonly<Record<string, string>> = {
  '!': 'Antonym',
  '@': 'Hypernym',
  '@i': 'InstanceHypernym',
  '~': 'Hyponym',
  '~i': 'InstanceHyponym',
  '#m': 'MemberHolonym',
  '#s': 'SubstanceHolonym',
  '#p': 'PartHolonym',
  '%m': 'MemberMeronym',
  '%s': 'SubstanceMeronym',
  '%p': 'PartMeronym',
  '=': 'Attribute',
  '+': 'DerivationallyRelated',
  ';c': 'DomainTopic',
  '-c': 'MemberOfDomainTopic',
  ';r': 'DomainRegion',
  '-r': 'MemberOfDomainRegion',
  ';u': 'DomainUsage',
  '-u': 'MemberOfDomainUsage',
  '*': 'Entailment',
  '>': 'Cause',
  '^': 'AlsoSee',
  $: 'VerbGroup',
  '&': 'SimilarTo',
  '<': 'ParticipleOfVerb',
  '\\': 'Pertainym',
};

/** The only symbol whose meaning depends on where it stands: in an adverb it is not a pertainym. */
const ADVERB_BACKSLASH = 'DerivedFromAdjective';

export const POINTER_EDGE_TYPES: readonly string[] = [
  ...Object.values(EDGE_TYPE_OF_SYMBOL),
  ADVERB_BACKSLASH,
];

/** The edge type of a pointer symbol that stands in a synset of this part of speech. */
export function pointerEdgeType(symbol: string, source: PartOfSpeech): string {
  if (symbol === '\\' && source === 'r') return ADVERB_BACKSLASH;
  const type = EDGE_TYPE_OF_SYMBOL[symbol];
  if (type === undefined) throw new Error(`unknown pointer symbol "${symbol}"`);
  return type;
}
