import type { ChatMessage } from '@trellis/contract/shapes/chat.ts';
import type {
  AnswerSupport,
  SentenceSupport,
  SupportVerdict,
} from '@trellis/contract/shapes/support.ts';

/** What people read of an answer, on a page and in a file. */
export const VERDICTS: Readonly<Record<SupportVerdict, string>> = {
  supported: 'Supported',
  partly: 'Partly supported',
  unsupported: 'Not supported',
  unchecked: 'Not checked',
};

/** Whether its sources do not say it, or only a part of it. */
export function isDoubtful({ verdict }: SentenceSupport): boolean {
  return verdict === 'unsupported' || verdict === 'partly';
}

/** How many sentences hold; undefined where none was checked. */
export function supportSummary({ support }: AnswerSupport): string | undefined {
  const checked = support.filter(({ verdict }) => verdict !== 'unchecked').length;
  if (checked === 0) return undefined;
  const supported = checked - support.filter(isDoubtful).length;
  const what = checked === 1 ? 'checked sentence' : 'checked sentences';
  return `Sources support ${supported} of ${checked} ${what}`;
}

/** What is to be known of the judge; undefined where it has done its work, or there is none. */
export function judgeRemark({ supportJudge }: AnswerSupport): string | undefined {
  if (supportJudge?.outcome !== 'failed') return undefined;
  return 'The judge had no answer: the sentences were compared only.';
}

type Ended = Extract<ChatMessage, { role: 'assistant' }>['ended'];

/** Why an answer is not whole; undefined where it is, or has failed. */
export function endRemark(ended: Ended): string | undefined {
  return ended === null ? undefined : END_REMARKS[ended];
}

const END_REMARKS: Readonly<Partial<Record<NonNullable<Ended>, string>>> = {
  length: 'The answer is cut off: it reached the maximum length.',
  steps: 'The answer ends here: it reached the maximum number of steps.',
  'tool-calls': 'The answer ends here: it reached the maximum number of tool calls.',
  tokens: 'The answer ends here: it used all tokens of an answer.',
  stopped: 'This answer was stopped before its end.',
  interrupted: 'The server stopped before the end of this answer. Ask for it again.',
};
