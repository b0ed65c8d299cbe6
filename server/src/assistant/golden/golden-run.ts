import type {
  GoldenQuestion,
  GoldenResult,
  GoldenRun,
  GoldenSentence,
} from '@trellis/contract/shapes/golden-answers.ts';
import type { Caller } from '#access/caller.ts';
import { GOLDEN_ANSWER_CHARACTERS_MAX } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import type { FactsParts } from '../citations/reader-facts.ts';
import { type AskedQuestion, type AskerParts, askQuestion } from './golden-asker.ts';
import { leaksOf, namedNodes } from './leaks.ts';
import { nuggetResults } from './nuggets.ts';
import { looksLikeRefusal, plainText } from './plain-text.ts';
import { metricsOf, NO_METRICS } from './question-metrics.ts';
import type { QuestionTrace } from './question-trace.ts';
import { sightOf } from './user-sight.ts';

/** What is said of an answer beyond the words in it. */
export interface AnswerVerdicts {
  readonly sentences: readonly GoldenSentence[];
  /** In the order of the nuggets; undefined without a judge. */
  readonly nuggets: readonly boolean[] | undefined;
  /** Undefined without a judge. */
  readonly isRefusal: boolean | undefined;
  /** Null without a judge. */
  readonly faithfulness: number | null;
}

export interface AnswerChecks {
  /** Name of the model that judges; null when none is set. */
  judge(): string | null;
  /** Rejects like the model runner. */
  check(
    question: GoldenQuestion,
    trace: QuestionTrace,
    as: {
      readonly asker: Caller;
      readonly payer: Caller;
      readonly tokensMax: number;
      readonly signal: AbortSignal;
      /** Told of tokens that were used, also by a check that then fails. */
      readonly spend: (tokens: number) => void;
    },
  ): Promise<AnswerVerdicts>;
}

export interface GoldenRunParts extends FactsParts, AskerParts {
  readonly checks: AnswerChecks;
  /** The caller that a user is now, by UID or name; undefined when they may not sign in. */
  readonly callerFor: (user: string) => Caller | undefined;
}

export interface RunnableQuestions {
  readonly questions: readonly GoldenQuestion[];
  /** What is there already, by place. */
  readonly answered: (index: number) => GoldenResult | undefined;
  readonly payer: Caller;
  readonly model: string;
  /** Tokens that are left. */
  readonly tokensMax: number;
  readonly signal: AbortSignal;
  /** Called after each question; waited for. */
  readonly onResult: (index: number, result: GoldenResult, tokens: number) => Promise<void>;
}

/** So many failures in a row are not the fault of a question. */
const FAILURES_IN_A_ROW_MAX = 5;

/**
 * Asks the questions of a set one after the other, each as its user, and measures the answers.
 * Rejects with the reason of the signal, and with the problem of the last question when several
 * in a row fail.
 */
export async function runQuestions(
  wanted: RunnableQuestions,
  parts: GoldenRunParts,
): Promise<Extract<GoldenRun['state'], 'completed' | 'out-of-tokens'>> {
  const { questions, signal, onResult } = wanted;
  const named = namedNodes(questions);
  let left = wanted.tokensMax;
  let failures = 0;
  for (const [index, question] of questions.entries()) {
    signal.throwIfAborted();
    const known = wanted.answered(index);
    if (known !== undefined && known.error === null) continue;
    if (left <= 0) return 'out-of-tokens';
    const { result, tokens, error } = await resultOf(question, { ...wanted, named, left }, parts);
    left -= tokens;
    await onResult(index, result, tokens);
    failures = error === undefined ? 0 : failures + 1;
    if (failures === FAILURES_IN_A_ROW_MAX) throw error;
  }
  return 'completed';
}

interface QuestionResult {
  readonly result: GoldenResult;
  readonly tokens: number;
  /** Why there is no answer; undefined when there is one. */
  readonly error: unknown;
}

async function resultOf(
  question: GoldenQuestion,
  run: RunnableQuestions & { readonly named: readonly string[]; readonly left: number },
  parts: GoldenRunParts,
): Promise<QuestionResult> {
  const { payer, model, signal, left } = run;
  const { asUser } = question;
  const asker = asUser === undefined ? payer : parts.callerFor(asUser);
  if (asker === undefined) {
    const error = new Problem('user_not_found', `There is no user "${asUser}" who may sign in.`);
    return { result: failedResult(question, error), tokens: 0, error: undefined };
  }
  const as = { asker, payer, signal };
  const asked = await askQuestion(question, { ...as, model, tokensMax: left }, parts);
  if (asked.error !== undefined) {
    const result = failedResult(question, asked.error);
    return { result, tokens: asked.tokens, error: asked.error };
  }
  const tokensMax = Math.max(1, left - asked.tokens);
  let { tokens } = asked;
  const spend = (more: number): void => void (tokens += more);
  try {
    const verdicts = await parts.checks.check(question, asked.trace, { ...as, tokensMax, spend });
    const result = measured(question, asked, { asker, verdicts, named: run.named, parts });
    return { result, tokens, error: undefined };
  } catch (error) {
    signal.throwIfAborted();
    return { result: failedResult(question, error), tokens, error };
  }
}

function measured(
  question: GoldenQuestion,
  { trace, tokens, ms }: AskedQuestion,
  checked: {
    readonly asker: Caller;
    readonly verdicts: AnswerVerdicts;
    readonly named: readonly string[];
    readonly parts: GoldenRunParts;
  },
): GoldenResult {
  const { verdicts, named } = checked;
  const sight = sightOf(checked.parts, checked.asker);
  const nuggets = nuggetResults(question, trace, { sight, judged: verdicts.nuggets });
  const leaks = leaksOf(question, trace, { named, nuggets, sight });
  const isRefusal =
    verdicts.isRefusal ??
    (trace.answer.trim() === '' ||
      (trace.cited.length === 0 && looksLikeRefusal(plainText(trace.answer))));
  const { sentences, faithfulness } = verdicts;
  const measures = { question, nuggets, sentences, leaks, isRefusal, faithfulness, tokens, ms };
  return {
    ...shownQuestion(question),
    answer: trace.answer.slice(0, GOLDEN_ANSWER_CHARACTERS_MAX),
    error: null,
    nuggets,
    sentences,
    isRefusal,
    leaks,
    metrics: metricsOf(measures),
  };
}

function failedResult(question: GoldenQuestion, error: unknown): GoldenResult {
  return {
    ...shownQuestion(question),
    answer: '',
    error: errorOf(error),
    nuggets: [],
    sentences: [],
    isRefusal: false,
    leaks: [],
    metrics: NO_METRICS,
  };
}

function shownQuestion({ id, question, asUser, mustRefuse = false }: GoldenQuestion) {
  return { id, question, asUser: asUser ?? null, mustRefuse };
}

function errorOf(error: unknown): NonNullable<GoldenResult['error']> {
  if (error instanceof Problem) return { code: error.code, message: error.message };
  return { code: 'internal_error', message: 'Something went wrong on our side.' };
}
