import type { ModelLimits, ModelRequest } from './model-run.ts';

type AnswerLimits = Pick<ModelLimits, 'tokensMax' | 'answerTokensMax' | 'timeoutMs'>;

/**
 * What makes of a run one question and its answer. The model can do nothing but answer, whatever
 * it reads.
 */
export function singleAnswer(limits: AnswerLimits): Pick<ModelRequest, 'tools' | 'limits'> {
  return { tools: [], limits: { ...limits, stepsMax: 1, toolCallsMax: 0, toolTimeoutMs: 0 } };
}
