import type { SupportVerdict } from '@trellis/contract/shapes/support.ts';
import { SUPPORT_COMPARISONS_MAX, SUPPORT_FIGURES_MAX } from '#base/assistant-limits.ts';
import type { Analyzer } from '#search/analysis/analyzer.ts';
import { type Claim, isExact } from './claim.ts';
import { isSameDate } from './dates.ts';
import { isSameNumber, type NumberMention } from './numbers.ts';
import { type Evidence, foldedText, type TextFacts } from './passages.ts';
import { agrees, statementOf, states, wordsOf } from './statement.ts';

/** What the rules say of a sentence. */
export interface RuleVerdict {
  readonly verdict: SupportVerdict;
  /** The passage of each cited text that is nearest to the sentence; "" where none is near. */
  readonly quotes: readonly string[];
}

/**
 * Compares a sentence with the texts that it cites. A number, a date, a code or a quote that is
 * nowhere there makes it "unsupported"; a name "partly". It is "supported" when one
 * passage says so word by word (`statement.ts`); else it is "unchecked": only somebody who reads it
 * can tell. Of a sentence with very many figures, such as a
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
    return isStated(claim, cited, { nearest, analyzer }) ? 'supported' : 'unchecked';
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

/** Passages that are as near as each other, which are looked at word by word. */
const NEAREST_MAX = 8;

/** Whether one of the passages that are nearest says so; see `statement.ts`. */
function isStated(
  { text, facts, names }: Claim,
  cited: readonly Evidence[],
  {
    nearest,
    analyzer,
  }: { readonly nearest: readonly (readonly Near[])[]; readonly analyzer: Analyzer },
): boolean {
  const claim = statementOf({ text, facts }, analyzer);
  return cited.some(({ passages }, at) =>
    (nearest[at] ?? [])
      .slice(0, NEAREST_MAX)
      .some((passage) => states(passage, claim, { subject: subjectOf(passages), names, analyzer })),
  );
}

/** What a judge shows for a sentence: quotes of texts that it cites. */
interface Proof {
  /** Each alone, then all together. */
  readonly quotes: readonly { readonly text: string; readonly facts: TextFacts }[];
  readonly from: readonly Evidence[];
  /** The sentence is in another language. */
  readonly isTranslated: boolean;
}

/**
 * Whether quotes may be what a sentence rests on that no passage says word by word: they have its
 * names, codes and figures, a word of it, and nothing that these rules can tell is against it.
 * Standing somewhere in a cited text is not enough for a quote.
 */
export function mayProve(claim: Claim, proof: Proof, analyzer: Analyzer): boolean {
  const { quotes, from, isTranslated } = proof;
  const subjects = from.flatMap(({ passages }) => subjectOf(passages) ?? []);
  const quoted = quotes.map(({ facts }) => facts);
  const told = [...quoted, ...subjects];
  const { text, facts, names, content } = claim;
  const said = statementOf({ text, facts }, analyzer);
  const exact = wordsOf(said).filter(({ surface }) => isExact(surface));
  const hasWords =
    isTranslated ||
    ((content.length === 0 || content.some((term) => isTermIn(term, quoted))) &&
      exact.every(({ term }) => isTermIn(term, told)));
  return (
    hasWords &&
    [...facts.codes].every((code) => told.some(({ codes }) => codes.has(code))) &&
    names.every((name) => isNameIn(name, told, analyzer)) &&
    quotes.some((quote) =>
      agrees(quote, said, { subject: undefined, names, analyzer, isTranslated }),
    )
  );
}

function isTermIn(term: string, facts: readonly TextFacts[]): boolean {
  return facts.some(({ terms }) => terms.has(term));
}

const TITLED = /^(?:title|name|label|subject|heading|headline)\b/i;
/** Of one line, which ends as no sentence does. */
const TITLE = /^[^:]{1,400}:\s.{0,200}[^.!?。！？]$/u;

/** What a document calls itself: its title, else its first line where that may be one. */
function subjectOf(passages: Evidence['passages']): TextFacts | undefined {
  const [first] = passages;
  const titled = passages.find(({ text }) => TITLED.test(text) && TITLE.test(text));
  return (titled ?? (first !== undefined && TITLE.test(first.text) ? first : undefined))?.facts;
}

/** The passages that share most with a sentence, where any does: figures count more than words. */
type Near = Evidence['passages'][number];

function nearestPassages(claim: Claim, passages: Evidence['passages']): Near[] {
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
