import type { SupportVerdict } from '@trellis/contract/shapes/support.ts';
import { SUPPORT_COMPARISONS_MAX, SUPPORT_FIGURES_MAX } from '#base/assistant-limits.ts';
import type { Analyzer } from '#search/analysis/analyzer.ts';
import type { Claim } from './claim.ts';
import { isSameDate } from './dates.ts';
import { isSameNumber, type NumberMention } from './numbers.ts';
import { type Evidence, foldedText, type Passage, type TextFacts } from './passages.ts';

/** What the rules say of a sentence. */
export interface RuleVerdict {
  readonly verdict: SupportVerdict;
  /** The passage of each cited text that is nearest to the sentence; "" where none is near. */
  readonly quotes: readonly string[];
}

/** The share of its words that has to be cited, of a sentence with numbers, names or quotes. */
const WORDS_SHARE_MIN = 0.5;

/**
 * Compares a sentence with the texts that it cites. A number, a date, a code or a quote that is
 * nowhere there makes it "unsupported"; a name "partly". It is "supported" when all that it names
 * is there, and its words are; else, and where one says "not" and the other does not, it is
 * "unchecked": only somebody who reads it can tell. Of a sentence with very many figures, such as a
 * wide row of a table, the first are looked for, and it is "partly" supported at most.
 */
export function ruleVerdict(
  whole: Claim,
  cited: readonly Evidence[],
  { analyzer, unresolved }: { readonly analyzer: Analyzer; readonly unresolved: number },
): RuleVerdict {
  const claim = withFewFigures(whole);
  const most = Math.floor(SUPPORT_COMPARISONS_MAX / Math.max(1, cited.length));
  const nearest = cited.map(({ passages }) => nearestPassages(claim, passages.slice(0, most)));
  const quotes = nearest.map(([passage]) => passage?.quote ?? '');
  const facts = cited.map((evidence) => evidence.facts);
  const verdict = (): SupportVerdict => {
    if (cited.length === 0) return 'unsupported';
    if (lacksFigure(claim, cited)) return 'unsupported';
    const isNamed = claim.names.every((name) => isNameIn(name, facts, analyzer));
    if (!isNamed || unresolved > 0 || claim !== whole) return 'partly';
    return isLikely(claim, facts, nearest.flat()) ? 'supported' : 'unchecked';
  };
  const said = verdict();
  return { verdict: said, quotes: said === 'unsupported' ? quotes.map(() => '') : quotes };
}

/** The claim itself where it has few of them. */
function withFewFigures(claim: Claim): Claim {
  const { numbers, dates } = claim.facts;
  if (Math.max(numbers.length, dates.length) <= SUPPORT_FIGURES_MAX) return claim;
  const first = {
    numbers: numbers.slice(0, SUPPORT_FIGURES_MAX),
    dates: dates.slice(0, SUPPORT_FIGURES_MAX),
  };
  return { ...claim, facts: { ...claim.facts, ...first } };
}

function lacksFigure(claim: Claim, cited: readonly Evidence[]): boolean {
  const facts = cited.map((evidence) => evidence.facts);
  const isThere = (test: (one: TextFacts) => boolean): boolean => facts.some(test);
  const { numbers, dates, codes } = claim.facts;
  return (
    claim.quotes.some((quote) => !cited.some(({ folded }) => isVerbatim(quote, folded))) ||
    [...codes].some((code) => !isThere((one) => one.codes.has(code))) ||
    dates.some((date) => !isThere((one) => one.dates.some((other) => isSameDate(date, other)))) ||
    numbers.some((number) => !isCount(number, cited) && !isThere((one) => isNumberIn(number, one)))
  );
}

/** Within quotation marks; the first letter may have become small or large. */
function isVerbatim(quote: string, folded: string): boolean {
  const text = foldedText(quote);
  if (folded.includes(text)) return true;
  const [first = '', ...others] = text;
  const rest = others.join('');
  return [first.toLowerCase(), first.toUpperCase()].some((one) => folded.includes(one + rest));
}

/** "Both are old [1][2]", or "3 of them": what an answer counts is what it cites. */
function isCount({ values }: NumberMention, cited: readonly Evidence[]): boolean {
  return cited.length > 1 && values.includes(cited.length);
}

function isNumberIn(number: NumberMention, { numbers, dates, wordNumbers }: TextFacts): boolean {
  if (numbers.some((other) => isSameNumber(number, other))) return true;
  const isPlain = number.unit === undefined && number.scale === 1;
  const years = dates.flatMap(({ readings }) => readings.map(({ year }) => year));
  if (isPlain && years.some((year) => year !== undefined && number.values.includes(year)))
    return true;
  return number.values.some((value) => wordNumbers.includes(value));
}

function isNameIn(name: string, facts: readonly TextFacts[], analyzer: Analyzer): boolean {
  return analyzer
    .analyze(name)
    .every(({ surface, term }) =>
      facts.some(
        ({ surfaces, terms }) =>
          surfaces.has(surface) || terms.has(term) || hasVariant(surface, surfaces),
      ),
    );
}

/** Endings of names in sentences: of cases, and of who comes from somewhere. */
const NAME_ENDINGS = ['s', 'es', 'n', 'en', 'e', 'a', 'i', 'y', 'an', 'ian', 'ish', 'er', 'ern'];
const STEM_LETTERS_MIN = 4;

function hasVariant(surface: string, surfaces: ReadonlySet<string>): boolean {
  return NAME_ENDINGS.some((ending) => {
    const stem = surface.endsWith(ending) ? surface.slice(0, -ending.length) : '';
    return (
      (stem.length >= STEM_LETTERS_MIN && surfaces.has(stem)) ||
      (surface.length >= STEM_LETTERS_MIN && surfaces.has(surface + ending))
    );
  });
}

/** What no rule can refute, and no rule can prove: whether to trust the words. */
function isLikely(claim: Claim, facts: readonly TextFacts[], nearest: readonly Passage[]): boolean {
  const isSaid = (term: string): boolean => facts.some(({ terms }) => terms.has(term));
  const said = claim.content.filter(isSaid).length;
  const { numbers, dates, codes, wordNumbers } = claim.facts;
  const named =
    claim.quotes.length + claim.names.length + codes.size + numbers.length + dates.length;
  if (named === 0 && (claim.content.length === 0 || said < claim.content.length)) return false;
  if (said < WORDS_SHARE_MIN * claim.content.length) return false;
  if (claim.first !== undefined && !isSaid(claim.first)) return false;
  const counted = wordNumbers.every(
    (value) =>
      (facts.length > 1 && value === facts.length) ||
      facts.some(
        (one) =>
          one.wordNumbers.includes(value) ||
          one.numbers.some(({ values }) => values.includes(value)),
      ),
  );
  if (!counted || !haveSameSigns(claim, facts)) return false;
  const isNo = isNegated(claim.text);
  return nearest.length > 0 && nearest.every(({ text }) => isNegated(text) === isNo);
}

/** A number with a minus is another one than without. */
function haveSameSigns(claim: Claim, facts: readonly TextFacts[]): boolean {
  return claim.facts.numbers.every((number) => {
    const same = facts.flatMap(({ numbers }) =>
      numbers.filter((other) => isSameNumber(number, other)),
    );
    return same.length === 0 || same.some(({ isNegative }) => isNegative === number.isNegative);
  });
}

/** The passages that share most with a sentence, where any does: figures count more than words. */
function nearestPassages(claim: Claim, passages: Evidence['passages']): Passage[] {
  const scored = passages.map((passage) => ({ passage, score: likeness(claim, passage.facts) }));
  const most = scored.reduce((max, { score }) => Math.max(max, score), 1);
  return scored.filter(({ score }) => score === most).map(({ passage }) => passage);
}

const FIGURE_WEIGHT = 2;

/** 0 where a text shares nothing with a sentence. */
export function likeness({ facts, content, names }: Claim, other: TextFacts): number {
  const figures =
    facts.numbers.filter((number) => isNumberIn(number, other)).length +
    facts.dates.filter((date) => other.dates.some((one) => isSameDate(date, one))).length +
    [...facts.codes].filter((code) => other.codes.has(code)).length;
  const words = content.filter((term) => other.terms.has(term)).length;
  const named = names.filter((name) => other.surfaces.has(name.toLowerCase())).length;
  return FIGURE_WEIGHT * figures + words + named;
}

/** Words that turn a statement into its opposite, in common languages. */
const NEGATIONS = new Set(
  `no not never none nobody nothing nor neither without cannot false lack lacks lacked lacking fail
  fails failed deny denies denied refuse refuses refused unable impossible inactive disabled except
  hardly barely nowhere unlike excluding absent
  nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder falsch
  non ne pas jamais aucun aucune rien sans ni faux personne
  nunca nadie nada ningún ninguna ninguno sin jamás falso tampoco
  mai nessun nessuna nessuno niente nulla senza né
  não nunca nenhum nenhuma nada sem ninguém
  niet geen nooit niemand niets zonder
  inte ingen inga aldrig utan ikke aldri uten aldrig uden
  nie żaden bez не нет нет никогда никто ничего без нельзя ei eivät`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
const NEGATED_SIGNS = /\p{L}n[’']t\b|[不没沒無非未]|ない|ません|않|없/u;

/** Whether a text has an odd number of words that say no. */
export function isNegated(text: string): boolean {
  const words: readonly string[] = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  // French says it twice.
  const isTwice =
    words.includes('ne') &&
    words.some((word) => /^(?:pas|jamais|rien|aucune?|personne|ni)$/.test(word));
  const count = words.filter((word) => NEGATIONS.has(word)).length - Number(isTwice);
  return (count + Number(NEGATED_SIGNS.test(text))) % 2 === 1;
}
