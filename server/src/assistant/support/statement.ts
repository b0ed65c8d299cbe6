import { SUPPORT_FIGURES_MAX } from '#base/assistant-limits.ts';
import type { Analyzer, Token } from '#search/analysis/analyzer.ts';
import { type DateMention, isSameDate } from './dates.ts';
import { negationsIn } from './negations.ts';
import { type NumberMention, isSameNumber, unitNamed, wordNumber } from './numbers.ts';
import { type TextFacts, withPlainDigits } from './passages.ts';

/**
 * Whether a passage states what a sentence says, as far as that can be told without understanding
 * either: every word of the sentence is in the passage, but for words that mean nothing by
 * themselves, and its figures and names stand in the same order, beside the same words. One other
 * word may turn a sentence into its opposite ("rose", "fell"), so there is no share that is enough.
 */

/** A part of a text, in order. */
type Item =
  | {
      readonly kind: 'word';
      readonly start: number;
      readonly surface: string;
      readonly term: string;
    }
  | { readonly kind: 'number'; readonly start: number; readonly number: NumberMention }
  | { readonly kind: 'date'; readonly start: number; readonly date: DateMention };
type Word = Extract<Item, { kind: 'word' }>;
type Figure = Exclude<Item, Word>;

/** A text whose words and figures are compared one by one. */
export interface Statement {
  readonly text: string;
  readonly items: readonly Item[];
}

/** `text` and what is found in it. */
interface KnownText {
  readonly text: string;
  readonly facts: TextFacts;
}

export function statementOf({ text: given, facts }: KnownText, analyzer: Analyzer): Statement {
  const text = withPlainDigits(given);
  const { numbers, dates } = facts;
  const figures: Item[] = [
    ...numbers.map((number) => ({ kind: 'number' as const, start: number.start, number })),
    ...dates.map((date) => ({ kind: 'date' as const, start: date.start, date })),
  ];
  const spans = [
    ...numbers,
    ...dates.map(({ start, text: { length } }) => ({ start, end: start + length })),
  ];
  const words = analyzer
    .analyze(text)
    .filter(({ start }) => !spans.some((span) => span.start <= start && start < span.end))
    .map((token) => wordItem(text, token));
  return { text, items: [...words, ...figures].toSorted((a, b) => a.start - b.start) };
}

/** A word, or the number that it stands for: "six months" is the same as "6 months". */
function wordItem(text: string, { start, end, surface, term }: Token): Item {
  const word = text.slice(start, end);
  const value = wordNumber(word.toLowerCase());
  if (value === undefined) return { kind: 'word', start, surface, term };
  const next = /^\s(\p{L}+)/u.exec(text.slice(end, end + 24))?.[1] ?? '';
  const unit = unitNamed(next);
  const said = { precision: 1, scale: 1, isNegative: false, isRough: false };
  return {
    kind: 'number',
    start,
    number: { text: word, start, end, values: [value], unit, ...said },
  };
}

export interface StatementContext {
  /** What the document is about; undefined where no passage says that. */
  readonly subject: TextFacts | undefined;
  readonly names: readonly string[];
  readonly analyzer: Analyzer;
  /** The words beside a figure are others then. */
  readonly isTranslated?: boolean;
}

/** More figures of one passage are not compared. */
const FIGURES_MAX = 2 * SUPPORT_FIGURES_MAX;

export function states(passage: KnownText, claim: Statement, context: StatementContext): boolean {
  return hasWordsOf(passage.facts, claim, context) && agrees(passage, claim, context);
}

/**
 * Whether a passage has the figures of a sentence beside the same words, its names in the same
 * order, as many words that say no, and no reservation more. It may use other words for the rest,
 * so whether it says the same is for somebody who understands both.
 */
export function agrees(passage: KnownText, claim: Statement, context: StatementContext): boolean {
  const { facts, text } = passage;
  if (facts.numbers.length + facts.dates.length > FIGURES_MAX) return false;
  if (negationsIn(text) !== negationsIn(claim.text)) return false;
  const there = statementOf(passage, context.analyzer);
  const isRow = claim.text.includes(' | ');
  return (
    hasFiguresOf(there, claim, context) &&
    isSaidAsFact(there, claim) &&
    (isRow || isInOrder(there, claim, context))
  );
}

/** Words of a list as they are, and without accents, as the analyzers have them. */
function listed(list: string): ReadonlySet<string> {
  const words = list.split(/\s+/).filter((word) => word !== '');
  const plain = words.map((word) => word.normalize('NFD').replaceAll(/\p{M}/gu, ''));
  return new Set([...words, ...plain, ...plain.map((word) => word.replaceAll('ß', 'ss'))]);
}

/** Articles, forms of "be" and "have", pronouns, and prepositions that no sense depends on. */
const SAFE = listed(
  `a an the is are was were be been being am has have had having do does did it its they them their this
  that these those value he she his her there here in on at of for as and also which who s t d
  didnt doesnt dont isnt arent wasnt werent hasnt havent hadnt
  about around roughly approximately approx circa ca according
  der die das den dem des ein eine einen einem einer eines ist sind war waren wird wurde wurden hat haben
  hatte hatten es sie er ihr sein seine dies diese dieser in im am an auf von vom für und auch zu zum zur
  beträgt etwa rund ungefähr bei dass
  le la les l un une des du de d est sont était étaient été a ont avait il elle ils ce cette ces en dans
  au aux à et que qu son sa ses environ
  el los las lo una unos unas del es son era fue fueron ha han había se su sus al y que e
  i gli il lo uno nel nella della dello dei degli delle di da è sono stata stato ed che
  o os as um uma do da dos das no na nos nas é foi foram há que e
  het een van zijn was werd heeft ook dat
  en ett är har av och som det att på på för
  w z i jest są był była zostało została została na do że r
  и в на с это есть был была было г`,
);
/** Says where a statement stands, and nothing of what it says. */
const FRAME =
  /^\s*(?:(?:according to|laut|selon|según|secondo|segundo)\s[^,]{1,80},|(?:it|the\s\p{L}{1,20}|er|sie|es|il|elle)\s(?:says|states|notes|reports|mentions|writes|reads|sagt|schreibt|dit|dice|diz)\b(?:\s(?:that|dass|que|che))?[:,]?)/iu;

function hasWordsOf(there: TextFacts, claim: Statement, { subject }: StatementContext): boolean {
  const frame = FRAME.exec(claim.text)?.[0].length ?? 0;
  const isIn = (facts: TextFacts | undefined, { term, surface }: Word): boolean =>
    facts !== undefined && (facts.terms.has(term) || facts.surfaces.has(surface));
  const words = claim.items.filter(isWord).filter(({ start }) => start >= frame);
  const said = words.filter(({ surface }) => !SAFE.has(surface));
  return (
    said.every((word) => isIn(there, word) || isIn(subject, word)) &&
    (said.some((word) => isIn(there, word)) || claim.items.length > words.length)
  );
}

function hasFiguresOf(
  passage: Statement,
  claim: Statement,
  { isTranslated = false }: StatementContext,
): boolean {
  const asked = figuresOf(claim);
  const there = figuresOf(passage);
  let last = { number: -1, date: -1 };
  return asked.every((figure) => {
    const kind = isYear(figure) ? 'date' : figure.kind;
    const candidates = there.flatMap((other, at) =>
      isSameFigure(figure, other, passage) &&
      (isTranslated || isBeside(claim, figure, passage, other))
        ? [at]
        : [],
    );
    const next = candidates.find((at) => at > last[kind]);
    if (next === undefined) return false;
    last = { ...last, [kind]: next };
    return true;
  });
}

function isWord(item: Item): item is Word {
  return item.kind === 'word';
}

/** The words beside its figures. */
export function wordsOf({ items }: Statement): readonly { surface: string; term: string }[] {
  return items.filter(isWord);
}

function figuresOf({ items }: Statement): Figure[] {
  return items.filter((item) => item.kind !== 'word');
}

function isYear(figure: Figure): boolean {
  if (figure.kind !== 'number') return false;
  const { unit, scale, text } = figure.number;
  return unit === undefined && scale === 1 && /^[12]\d{3}$/.test(text);
}

function isSameFigure(asked: Figure, there: Figure, passage: Statement): boolean {
  if (asked.kind === 'date') return there.kind === 'date' && isSameDate(asked.date, there.date);
  const { number } = asked;
  if (there.kind === 'date') {
    const years = there.date.readings.map(({ year }) => year);
    return (
      isYear(asked) && years.some((year) => year !== undefined && number.values.includes(year))
    );
  }
  return (
    isSameNumber(number, there.number) &&
    number.isNegative === there.number.isNegative &&
    isSameUnit(number.unit, there.number.unit, passage)
  );
}

/** A share is never a count; any other unit may be left out, or stand elsewhere in the passage. */
function isSameUnit(
  asked: string | undefined,
  there: string | undefined,
  { items }: Statement,
): boolean {
  if (asked === there) return true;
  if (asked === undefined) return there !== '%';
  if (there !== undefined) return false;
  return items.some((item) => item.kind === 'word' && unitNamed(item.surface) === asked);
}

/** A figure belongs to the words beside it: what is counted, or what was in that year. */
function isBeside(claim: Statement, figure: Figure, passage: Statement, there: Figure): boolean {
  const asked = neighborsOf(claim, figure, 1);
  const found = neighborsOf(passage, there, PASSAGE_NEIGHBORS);
  const all = [...found.before, ...found.after];
  const [after] = asked.after;
  if (after !== undefined && found.after.length > 0) return all.includes(after);
  const either = [...asked.before, ...asked.after];
  // One of a list has none of its own.
  return either.length === 0 || all.length === 0 || either.some((term) => all.includes(term));
}

const PASSAGE_NEIGHBORS = 2;

interface Neighbors {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The nearest words that mean something before and after a figure, within its clause. */
function neighborsOf({ text, items }: Statement, figure: Figure, count: number): Neighbors {
  const at = items.indexOf(figure);
  const nearest = (step: 1 | -1): string[] => {
    const found: string[] = [];
    for (let next = at + step; found.length < count; next += step) {
      const item = items[next];
      if (item === undefined || item.kind !== 'word' || AND.has(item.surface)) break;
      const [from, to] = step > 0 ? [figure.start, item.start] : [item.start, figure.start];
      if (CLAUSE_END.test(text.slice(from, to))) break;
      if (!SAFE.has(item.surface)) found.push(item.term);
    }
    return found;
  };
  return { before: nearest(-1), after: nearest(1) };
}

const CLAUSE_END = /[,;:|]\s/;
const AND = listed('and or but und oder aber et ou mais y o pero e ma och eller i lub и или');

/** Words that a sentence may not leave out: with them, a passage does not say that it is so. */
const HEDGES = listed(
  `may might could would should must will shall if unless except only until plan plans planned expected expects
  proposed proposes alleged alleges allegedly claimed claims believes believed supposedly reportedly
  probably perhaps possibly hardly almost nearly partly some few several sometimes rarely ignore
  disregard pretend hypothetically
  wenn falls sofern außer könnte dürfte sollte müsste möglicherweise angeblich vielleicht vermutlich
  fast teilweise manche einige nur geplant
  si sauf peut pourrait devrait seulement presque quelques prévu salvo puede podría debería solo casi
  algunos se può potrebbe dovrebbe quasi alcuni pode poderia deveria apenas quase alguns
  als tenzij kan zou alleen bijna om kanske nästan bara może tylko prawie если только может почти`,
);

/** Neither a question nor something that may be, unless the sentence says so too. */
function isSaidAsFact(passage: Statement, claim: Statement): boolean {
  if (/[?？]["”»]?\s*$/.test(passage.text) && !claim.text.includes('?')) return false;
  const said = new Set(claim.items.map((item) => (item.kind === 'word' ? item.surface : '')));
  if (!haveOneTense(passage, claim)) return false;
  return passage.items.every(
    (item) => item.kind !== 'word' || !HEDGES.has(item.surface) || said.has(item.surface),
  );
}

const IS =
  /(?<!\p{L})(?:is|are|has|have|ist|sind|hat|est|sont|es|son|è|sono|é|são|är|jest|są)(?!\p{L})/iu;
const WAS =
  /(?<!\p{L})(?:was|were|had|war|waren|hatte|était|étaient|era|eran|fue|fueron|foi|foram|byl|była|były|был|была|было|были)(?!\p{L})/iu;

/** Who was the chief may not be it any more. */
function haveOneTense({ text: there }: Statement, { text: said }: Statement): boolean {
  const isOnly = (text: string, tense: RegExp, other: RegExp): boolean =>
    tense.test(text) && !other.test(text);
  return !(
    (isOnly(said, IS, WAS) && isOnly(there, WAS, IS)) ||
    (isOnly(said, WAS, IS) && isOnly(there, IS, WAS))
  );
}

/** Words before whoever did something, in a sentence that begins with what was done. */
const BY = /\b(?:by|von|vom|durch|par|por|da|dal|door|av|af)\s\p{Lu}/u;

/**
 * Who does what to whom: words stand in the same order, where the end may come first ("In 2024 it
 * grew"); names in the other one where either text says "by".
 */
function isInOrder(passage: Statement, claim: Statement, context: StatementContext): boolean {
  if (BY.test(passage.text) !== BY.test(claim.text)) {
    return isRising(placesOfNames(passage, claim, context).toReversed());
  }
  const places = claim.items
    .filter(isWord)
    .filter(({ surface }) => !SAFE.has(surface) && !/\p{N}/u.test(surface))
    .map((word) => placeOf(passage, word.term))
    .filter((place) => place >= 0);
  const turn = places.findIndex((place, at) => at > 0 && place < (places[at - 1] ?? 0));
  return turn < 0 || isRising([...places.slice(turn), ...places.slice(0, turn)]);
}

function placeOf({ items }: Statement, term: string): number {
  return items.findIndex((item) => isWord(item) && item.term === term);
}

/** Where the names of a sentence stand in the passage; words that follow one another are one. */
function placesOfNames(
  passage: Statement,
  claim: Statement,
  { names, analyzer }: StatementContext,
): number[] {
  const places = [...new Set(names)]
    .flatMap((name) => analyzer.analyze(name).slice(0, 1))
    .map(({ term }) => [placeOf(claim, term), placeOf(passage, term)] as const)
    .filter(([asked, there]) => asked >= 0 && there >= 0)
    .toSorted(([a], [b]) => a - b)
    .map(([, there]) => there);
  return places.filter((place, at) => at === 0 || place !== (places[at - 1] ?? 0) + 1);
}

function isRising(places: readonly number[]): boolean {
  return places.every((place, at) => at === 0 || place >= (places[at - 1] ?? 0));
}
