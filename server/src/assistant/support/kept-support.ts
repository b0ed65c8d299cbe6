import type {
  AnswerSupport,
  SentenceSupport,
  SupportVerdict,
} from '@trellis/contract/shapes/support.ts';
import type { ReaderFacts } from '../citations/reader-facts.ts';
import { supportRateOf } from './support.ts';

/** The support of an answer as it is stored: its sentences are in the text of the answer. */
export interface KeptSupport {
  readonly sentences: readonly Omit<SentenceSupport, 'sentence'>[];
  readonly judge: AnswerSupport['supportJudge'];
}

const NOTHING_KEPT: KeptSupport = { sentences: [], judge: null };

export function keptSupport({ support, supportJudge }: AnswerSupport): KeptSupport {
  const sentences = support.map(({ start, end, verdict, citations }) => {
    return { start, end, verdict, citations };
  });
  return { sentences, judge: supportJudge };
}

/** Reads what was stored; answers of older versions have none. */
export function supportOf(stored: unknown): KeptSupport {
  return (stored as KeptSupport | undefined) ?? NOTHING_KEPT;
}

/**
 * The support of an answer as a reader may see it now: without the nodes and quotes that they may
 * not read, which then support nothing.
 */
export function shownSupport(
  { sentences, judge }: KeptSupport,
  text: string,
  facts: ReaderFacts,
): AnswerSupport {
  const support = sentences.map(({ start, end, verdict, citations }) => {
    const seen = citations.filter(({ uid }) => facts.canSee(uid));
    const shown = seen.map((one) =>
      facts.mayRead(one.uid, one.quote) ? one : { ...one, quote: '' },
    );
    const lost = citations.length - shown.filter((one, at) => one === seen[at]).length;
    return {
      sentence: text.slice(start, end),
      start,
      end,
      verdict: lost === 0 ? verdict : verdictWithout(verdict, shown),
      citations: shown,
    };
  });
  return { support, supportRate: supportRateOf(support), supportJudge: judge };
}

function verdictWithout(
  verdict: SupportVerdict,
  left: SentenceSupport['citations'],
): SupportVerdict {
  if (verdict !== 'supported' && verdict !== 'partly') return verdict;
  return left.some(({ quote }) => quote !== '') ? 'partly' : 'unsupported';
}
