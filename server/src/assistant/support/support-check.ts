import { ANY_LANGUAGE } from '@trellis/contract/languages.ts';
import type {
  AnswerSupport,
  SentenceSupport,
  SupportJudgeReport,
  SupportVerdict,
} from '@trellis/contract/shapes/support.ts';
import {
  JUDGE_DOCUMENT_CHARACTERS_MAX,
  JUDGE_DOCUMENTS_CHARACTERS_MAX,
  JUDGE_SENTENCES_MAX,
  JUDGE_TIMEOUT_MS,
  SUPPORT_CHARACTERS_MAX,
  SUPPORT_CITATIONS_MAX,
  SUPPORT_NODE_CHARACTERS_MAX,
  SUPPORT_QUOTE_CHARACTERS_MAX,
  SUPPORT_QUOTES_CHARACTERS_MAX,
  SUPPORT_SENTENCES_MAX,
} from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import { turns } from '#base/turns.ts';
import type { Analyzer, Language } from '#search/analysis/analyzer.ts';
import { detectLanguage } from '#search/analysis/detect-language.ts';
import { Analyzers } from '#search/analysis/language-analyzer.ts';
import { type Claim, claimOf } from './claim.ts';
import { type Evidence, evidenceOf, factsOf, foldedText } from './passages.ts';
import { likeness, mayProve, ruleVerdict } from './rules.ts';
import { plainOf, type Sentence, sentencesOf } from './sentences.ts';
import {
  type JudgedSentence,
  type JudgeQuestion,
  type SupportRequest,
  supportRateOf,
} from './support.ts';

/** Words that each language keeps analyzed, for all checks of this process. */
const CACHED_WORDS_MAX = 5_000;
const ANALYZERS = new Analyzers(CACHED_WORDS_MAX);

/** A sentence with what the rules say of it. */
interface Checked {
  readonly sentence: Sentence;
  /** Undefined for one that cites nothing. */
  readonly claim: Claim | undefined;
  /** Of its citations, those that the asker may read. */
  readonly ids: readonly number[];
  readonly verdict: SupportVerdict;
  /** For each of `ids`. */
  readonly quotes: readonly string[];
}

/** A judge is asked about these too, and may not call both a sentence and its denial supported. */
const DENIAL = 'It is not true that: ';

/** One check; see `checkSupport`. */
export class SupportCheck {
  readonly #request: SupportRequest;
  readonly #texts: ReadonlyMap<number, string>;
  readonly #uids: ReadonlyMap<number, string>;
  readonly #analyzer: Analyzer;
  readonly #evidence = new Map<number, Evidence>();
  #charactersLeft = SUPPORT_CHARACTERS_MAX;
  #quoteCharactersLeft = SUPPORT_QUOTES_CHARACTERS_MAX;

  /** `texts`: what the asker may read, by the ids of citations. */
  constructor(request: SupportRequest, texts: ReadonlyMap<number, string>) {
    this.#request = request;
    this.#texts = texts;
    this.#uids = new Map(request.citations.map(({ id, uid }) => [id, uid]));
    this.#analyzer = ANALYZERS.for(languageOf(request.answer, texts));
  }

  async do(): Promise<AnswerSupport> {
    const checked: Checked[] = [];
    for (const [at, sentence] of sentencesOf(this.#request.answer).entries()) {
      checked.push(at < SUPPORT_SENTENCES_MAX ? await this.#checked(sentence) : cited(sentence));
      await this.#pause();
    }
    const asked = await this.#judged(checked);
    const support = checked.map((one, at) => this.#shown(one, asked.sentences.get(at)));
    return { support, supportRate: supportRateOf(support), supportJudge: asked.report };
  }

  readonly #pause = async (): Promise<void> => {
    await turns.goOn(this.#request.caller ?? '');
    this.#request.signal?.throwIfAborted();
  };

  async #checked(sentence: Sentence): Promise<Checked> {
    if (sentence.cites.length === 0) return cited(sentence);
    const ids = sentence.cites.filter((id) => this.#texts.has(id)).slice(0, SUPPORT_CITATIONS_MAX);
    const evidence: Evidence[] = [];
    for (const id of ids) evidence.push(await this.#evidenceOf(id));
    const claim = claimOf(sentence.plain, this.#analyzer, this.#analyzersOf(sentence.plain));
    const unresolved = sentence.cites.length - ids.length;
    const said = ruleVerdict(claim, evidence, { analyzer: this.#analyzer, unresolved });
    return { sentence, claim, ids, ...said };
  }

  async #evidenceOf(id: number): Promise<Evidence> {
    const known = this.#evidence.get(id);
    if (known !== undefined) return known;
    const charactersMax = Math.min(SUPPORT_NODE_CHARACTERS_MAX, this.#charactersLeft);
    const text = (this.#texts.get(id) ?? '').slice(0, charactersMax);
    this.#charactersLeft -= text.length;
    const made = await evidenceOf(text, this.#analyzersOf(text), this.#pause);
    this.#evidence.set(id, made);
    return made;
  }

  /** Words are the same when they are in the language of the answer or in that of the text. */
  #analyzersOf(text: string): readonly Analyzer[] {
    const language = detectLanguage(text);
    const isKnown = language !== ANY_LANGUAGE && language !== this.#analyzer.language;
    return isKnown ? [this.#analyzer, ANALYZERS.for(language)] : [this.#analyzer];
  }

  /** Asks the judge about what the rules do not refute. */
  async #judged(checked: readonly Checked[]): Promise<Judged> {
    const { judge, signal } = this.#request;
    const open = checked.flatMap((one, at) =>
      one.ids.length > 0 && one.verdict !== 'unsupported' ? [{ ...one, number: at }] : [],
    );
    if (judge === undefined || open.length === 0) return { sentences: new Map(), report: null };
    const asked = questionable(open);
    // Numbered after all sentences of the answer.
    const denials = asked
      .filter(({ verdict }) => verdict === 'unchecked')
      .map((one) => ({ ...one, number: checked.length + one.number }));
    const question = this.#question(asked, denials);
    const late = AbortSignal.timeout(JUDGE_TIMEOUT_MS);
    const report = (outcome: SupportJudgeReport['outcome'], code: string | null = null) => ({
      model: judge.model,
      outcome,
      code,
    });
    try {
      const either = signal === undefined ? late : AbortSignal.any([signal, late]);
      const said = new Map(
        (await judge.judge(question, either)).map((one) => [one.number, one] as const),
      );
      const sentences = new Map(
        asked.flatMap(({ number, verdict }) => {
          const one = said.get(number);
          const denied = said.get(checked.length + number)?.verdict ?? 'supported';
          const isBoth = one?.verdict === 'supported' && denied === 'supported';
          const isNoUse = one === undefined || (verdict === 'unchecked' && isBoth);
          return isNoUse ? [] : [[number, one] as const];
        }),
      );
      const isComplete = sentences.size === open.length;
      return { sentences, report: report(isComplete ? 'complete' : 'incomplete') };
    } catch (error) {
      signal?.throwIfAborted();
      const code = error instanceof Problem ? error.code : late.aborted ? 'llm_timeout' : undefined;
      if (code === undefined) throw error;
      return { sentences: new Map(), report: report('failed', code) };
    }
  }

  /** Long documents give way to those that are cited later. */
  #question(asked: readonly Numbered[], denials: readonly Numbered[]): JudgeQuestion {
    const ids = [...new Set(asked.flatMap((one) => one.ids))];
    const share = Math.floor(JUDGE_DOCUMENTS_CHARACTERS_MAX / Math.max(1, ids.length));
    const charactersMax = Math.min(JUDGE_DOCUMENT_CHARACTERS_MAX, share);
    return {
      sentences: [
        ...asked.map(({ number, sentence, ids: cites }) => {
          return { number, text: sentence.plain, cites };
        }),
        ...denials.map(({ number, sentence, ids: cites }) => {
          return { number, text: DENIAL + sentence.plain, cites };
        }),
      ],
      documents: ids.map((id) => ({
        id,
        text: (this.#evidence.get(id)?.text ?? '').slice(0, charactersMax),
      })),
    };
  }

  #shown(checked: Checked, judged: JudgedSentence | undefined): SentenceSupport {
    const { sentence, claim, ids, quotes } = checked;
    const proven = new Map<number, string>();
    for (const { id, quote } of judged?.quotes ?? []) {
      if (ids.includes(id) && claim !== undefined && this.#proves(claim, id, quote)) {
        proven.set(id, quote.trim());
      }
    }
    const { start, end, text } = sentence;
    return {
      sentence: text,
      start,
      end,
      verdict: judged === undefined ? checked.verdict : this.#verdictOf(checked, judged, proven),
      citations: ids.map((id, at) => ({
        id,
        uid: this.#uids.get(id) ?? '',
        quote: this.#kept(judged === undefined ? (quotes[at] ?? '') : (proven.get(id) ?? '')),
      })),
    };
  }

  /** A quote, as long as there is room for more. */
  #kept(quote: string): string {
    if (quote.length > this.#quoteCharactersLeft) return '';
    this.#quoteCharactersLeft -= quote.length;
    return quote;
  }

  /** It occurs there verbatim, and has a word or a figure of the sentence where both are alike. */
  #proves(claim: Claim, id: number, quote: string): boolean {
    const folded = foldedText(quote);
    if (folded === '' || quote.length > 2 * SUPPORT_QUOTE_CHARACTERS_MAX) return false;
    const { text, folded: whole } = this.#evidence.get(id) ?? { text: '', folded: '' };
    if (!whole.includes(folded)) return false;
    const facts = factsOf(quote, this.#analyzersOf(quote));
    if (likeness(claim, facts) > 0) return true;
    return areTranslations(text, claim.text) && folded.length >= TRANSLATED_CHARACTERS_MIN;
  }

  /** The lower one of what the judge and the rules say; see `#isProven` for "unchecked". */
  #verdictOf(
    { verdict, claim }: Checked,
    judged: JudgedSentence,
    proven: ReadonlyMap<number, string>,
  ): SupportVerdict {
    if (verdict === 'unsupported' || judged.verdict === 'unsupported' || proven.size === 0) {
      return 'unsupported';
    }
    if (verdict === 'partly' || judged.verdict === 'partly') return 'partly';
    if (verdict === 'supported' || claim === undefined) return verdict;
    return this.#isProven(claim, proven) ? 'supported' : 'unchecked';
  }

  #isProven(claim: Claim, proven: ReadonlyMap<number, string>): boolean {
    const texts = [...proven.values()];
    const all = texts.length > 1 ? [...texts, texts.join('\n')] : texts;
    const quotes = all.map((text) => ({ text, facts: factsOf(text, this.#analyzersOf(text)) }));
    const from = [...proven.keys()].flatMap((id) => this.#evidence.get(id) ?? []);
    const isTranslated = from.some(({ text }) => areTranslations(text, claim.text));
    return mayProve(claim, { quotes, from, isTranslated }, this.#analyzer);
  }
}

type Numbered = Checked & { readonly number: number };

/** As many as one question has room for, each with its denial where that is asked too. */
function questionable(open: readonly Numbered[]): readonly Numbered[] {
  let left = JUDGE_SENTENCES_MAX;
  const last = open.findIndex(({ verdict }) => {
    left -= verdict === 'unchecked' ? 2 : 1;
    return left < 0;
  });
  return last < 0 ? open : open.slice(0, last);
}

function areTranslations(one: string, other: string): boolean {
  const languages = [detectLanguage(one), detectLanguage(other)];
  return new Set(languages).size === 2 && !languages.includes(ANY_LANGUAGE);
}

/** A short answer is in the language of what it cites. */
function languageOf(answer: string, texts: ReadonlyMap<number, string>): Language {
  const language = detectLanguage(plainOf(answer));
  if (language !== ANY_LANGUAGE) return language;
  const beginnings = [...texts.values()].map((text) => text.slice(0, DETECTED_CHARACTERS_MAX));
  return detectLanguage(beginnings.join('\n').slice(0, DETECTED_CHARACTERS_MAX));
}
const DETECTED_CHARACTERS_MAX = 4_000;

/** A shorter quote in another language occurs by chance. */
const TRANSLATED_CHARACTERS_MIN = 12;

interface Judged {
  /** By their numbers. */
  readonly sentences: ReadonlyMap<number, JudgedSentence>;
  readonly report: SupportJudgeReport | null;
}

function cited(sentence: Sentence): Checked {
  return { sentence, claim: undefined, ids: [], verdict: 'unchecked', quotes: [] };
}
