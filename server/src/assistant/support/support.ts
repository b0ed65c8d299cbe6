import type {
  AnswerSupport,
  SentenceSupport,
  SupportVerdict,
} from '@trellis/contract/shapes/support.ts';
import type { Snippet } from '../citations/snippets.ts';

/**
 * Support: what each sentence of an answer rests on (open-shapes, section 14).
 *
 *     const { support, supportRate } = await checkSupport({
 *       answer: 'Oaks live for 300 years [1].',
 *       citations: [{ id: 1, uid, text: 'Title: Oak' }],
 *       readAs: ({ uid }) => textOf(uid),
 *     });
 *
 * What it promises:
 *
 * - The sentences are those of the answer as it is shown (`sentences.ts`), in order, and
 *   `answer.slice(start, end)` is `sentence`.
 * - `readAs` is the only way to a cited text. It is called at once, before anything is waited for,
 *   once for each citation, and answers undefined for what the asker may not read now. Nothing
 *   else gets into a quote, a verdict or a question to the judge.
 * - Without a judge (`rules.ts`): a sentence that cites nothing is "unchecked"; one with a made-up
 *   or unreadable citation, or with a number, date, code or quote that its citations do not have,
 *   is never "supported". "unchecked" also stands where a rule can neither prove nor refute it.
 * - A judge can only lower what the rules say, but for "unchecked". Its quotes count when they
 *   occur verbatim in the cited text (`foldedText`) and have something to do with the sentence; a
 *   sentence that it calls supported without such a quote is "unsupported".
 * - A judge lifts an "unchecked" sentence to "supported" only with quotes that have its figures,
 *   names and "not" (`mayProve`), and only when it does not call the denial of the sentence
 *   supported too, about which it is asked at the same time: one that does what documents tell it,
 *   or agrees to all, proves nothing. Else the sentence stays "unchecked".
 * - A judge that fails or says nothing of a sentence leaves the verdict of the rules, and
 *   `supportJudge` says so. Rejects only with the reason of the signal.
 * - Work is bounded: see "Support" in `#base/assistant-limits.ts`. Long work is spread over turns
 *   of the event loop.
 */
export async function checkSupport(request: SupportRequest): Promise<AnswerSupport> {
  const texts = readAll(request);
  // The stop words of all languages, which detection needs, are loaded when first used.
  const { SupportCheck } = await import('./support-check.ts');
  return new SupportCheck(request, texts).do();
}

export interface SupportRequest {
  /** Markdown with `[id]` where it cites. */
  readonly answer: string;
  readonly citations: readonly Snippet[];
  readonly readAs: ReadAs;
  readonly judge?: SupportJudge | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whose turns of the event loop long work takes; see `Turns`. */
  readonly caller?: string | undefined;
}

/**
 * The text of a cited node as the asker may read it now, with one line for each field (`Title: The
 * Ark`); undefined where there is no such node for them.
 */
export type ReadAs = (citation: Snippet) => string | undefined;

/** What a judge is asked: whether these sentences say what these documents say. */
export interface JudgeQuestion {
  readonly sentences: readonly {
    readonly number: number;
    readonly text: string;
    /** Ids of documents. */
    readonly cites: readonly number[];
  }[];
  readonly documents: readonly { readonly id: number; readonly text: string }[];
}

/** What a judge says of one sentence; a quote counts only when the checker finds it. */
export interface JudgedSentence {
  readonly number: number;
  readonly verdict: Exclude<SupportVerdict, 'unchecked'>;
  readonly quotes: readonly { readonly id: number; readonly quote: string }[];
}

export interface SupportJudge {
  readonly model: string;
  /** Rejects with a `Problem` when the model cannot be asked or answers nothing of use. */
  judge(question: JudgeQuestion, signal: AbortSignal): Promise<readonly JudgedSentence[]>;
}

/** Of an answer that cannot be checked, or says nothing. */
export const NO_SUPPORT: AnswerSupport = { support: [], supportRate: null, supportJudge: null };

/** The share of supported sentences among those that are checked; null where none is. */
export function supportRateOf(support: readonly SentenceSupport[]): number | null {
  const checked = support.filter(({ verdict }) => verdict !== 'unchecked');
  if (checked.length === 0) return null;
  return checked.filter(({ verdict }) => verdict === 'supported').length / checked.length;
}

function readAll({ citations, readAs }: SupportRequest): Map<number, string> {
  const texts = new Map<number, string>();
  for (const citation of citations) {
    const text = readAs(citation);
    if (text !== undefined) texts.set(citation.id, text);
  }
  return texts;
}
