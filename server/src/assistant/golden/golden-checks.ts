import type { GoldenQuestion, GoldenSentence } from '@trellis/contract/shapes/golden-answers.ts';
import type { JudgeSetting, SentenceSupport } from '@trellis/contract/shapes/support.ts';
import { budgetKey, type Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { type FactsParts, ReaderFacts } from '../citations/reader-facts.ts';
import type { ModelRunner } from '../model/model-run.ts';
import { ModelJudge } from '../support/model-judge.ts';
import { checkSupport } from '../support/support.ts';
import { judgeAnswer } from './golden-judge.ts';
import type { AnswerChecks, AnswerVerdicts } from './golden-run.ts';
import type { QuestionTrace } from './question-trace.ts';

export interface GoldenChecksParts extends FactsParts {
  readonly models: ModelRunner;
  /** The judge of the settings. */
  readonly judge: () => JudgeSetting | null;
}

/** What rules, and the judge where one is set, say of answers. */
export class GoldenChecks implements AnswerChecks {
  readonly #parts: GoldenChecksParts;

  constructor(parts: GoldenChecksParts) {
    this.#parts = parts;
  }

  judge(): string | null {
    return this.#parts.judge()?.model ?? null;
  }

  /** A judge that fails lets the check fail: a run has one definition of each metric. */
  async check(
    question: GoldenQuestion,
    trace: QuestionTrace,
    as: {
      readonly asker: Caller;
      readonly payer: Caller;
      readonly tokensMax: number;
      readonly signal: AbortSignal;
      readonly spend: (tokens: number) => void;
    },
  ): Promise<AnswerVerdicts> {
    const { asker, payer, tokensMax, signal, spend } = as;
    const setting = this.#parts.judge();
    const models = new CountingModels(this.#parts.models, spend);
    const facts = new ReaderFacts(this.#parts, asker);
    const { support, supportJudge } = await checkSupport({
      answer: trace.answer,
      citations: trace.cited,
      readAs: (citation) => facts.textOf(citation),
      judge:
        setting === null
          ? undefined
          : new ModelJudge({ models, setting, caller: payer, feature: 'chat' }),
      signal,
      caller: budgetKey(payer),
    });
    if (supportJudge?.outcome === 'failed') throw judgeFailed(supportJudge.code);
    const judged =
      setting === null
        ? undefined
        : await judgeAnswer(question, trace, { models, setting, payer, tokensMax, signal });
    return {
      sentences: support.map(sentenceOf),
      nuggets: judged?.nuggets,
      isRefusal: judged?.isRefusal,
      faithfulness: judged?.faithfulness ?? null,
    };
  }
}

/** Counts the tokens of what is asked. */
class CountingModels implements ModelRunner {
  readonly #models: ModelRunner;
  readonly #spend: (tokens: number) => void;

  constructor(models: ModelRunner, spend: (tokens: number) => void) {
    this.#models = models;
    this.#spend = spend;
  }

  async run(request: Parameters<ModelRunner['run']>[0]): ReturnType<ModelRunner['run']> {
    const outcome = await this.#models.run(request);
    this.#spend(outcome.usage.inputTokens + outcome.usage.outputTokens);
    return outcome;
  }
}

function judgeFailed(code: string | null): Problem {
  const isLate = code === 'llm_timeout';
  return new Problem(
    isLate ? 'llm_timeout' : 'llm_unavailable',
    `The judge could not be asked${code === null ? '' : `: ${code}`}.`,
  );
}

/** A citation is precise when its sentence is supported, and a quote of it says so. */
function sentenceOf({ sentence, verdict, citations }: SentenceSupport): GoldenSentence {
  return {
    text: sentence,
    verdict,
    citations: citations.map(({ id, uid, quote }) => ({
      id,
      uid,
      quote: quote === '' ? null : quote,
      isPrecise: verdict === 'supported' && quote !== '',
    })),
  };
}
