import type { ResearchLimits } from '@trellis/contract/shapes/deep-research.ts';
import type { Clock } from '#base/clock.ts';
import { RESEARCH_QUESTIONS_MAX, RESEARCH_REPORT_SHARE } from '#base/assistant-limits.ts';
import type { TokenCounts } from '../router/llm-call.ts';

export type RunLimits = Pick<ResearchLimits, 'steps' | 'tokens' | 'minutes'>;
export type LimitName = keyof RunLimits;

const MINUTE_MS = 60_000;
/** One for the plan, one for the report. */
const STEPS_APART = 2;
/** A question takes a look into the workspace, and an answer. */
const STEPS_PER_QUESTION = 2;

/** What one research may use. A part of its tokens and its time is kept for the report. */
export class ResearchBudget {
  readonly #limits: RunLimits;
  readonly #clock: Clock;
  readonly #startedMs: number;
  #usage: TokenCounts = { inputTokens: 0, outputTokens: 0 };
  #uncounted = 0;
  #reached: LimitName | null = null;

  constructor(limits: RunLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#startedMs = clock.now();
  }

  /** As far as it is known. */
  get usage(): TokenCounts {
    return this.#usage;
  }

  /** The limit that was reached first. */
  get reached(): LimitName | null {
    return this.#reached;
  }

  /** At least one. */
  get questionsMax(): number {
    const steps = this.#limits.steps - STEPS_APART;
    return Math.max(1, Math.min(RESEARCH_QUESTIONS_MAX, Math.floor(steps / STEPS_PER_QUESTION)));
  }

  /** What each of so many questions may use. */
  share(questions: number): { readonly steps: number; readonly tokens: number } {
    return {
      steps: Math.floor((this.#limits.steps - STEPS_APART) / questions),
      tokens: Math.floor(this.tokensLeft('studies') / questions),
    };
  }

  tokensLeft(until: Phase): number {
    const { inputTokens, outputTokens } = this.#usage;
    const used = inputTokens + outputTokens + this.#uncounted;
    return Math.floor(this.#limits.tokens * shareOf(until)) - used;
  }

  leftMs(until: Phase): number {
    const passedMs = this.#clock.now() - this.#startedMs;
    return Math.floor(this.#limits.minutes * MINUTE_MS * shareOf(until)) - passedMs;
  }

  count({ inputTokens, outputTokens }: TokenCounts): void {
    this.#usage = {
      inputTokens: this.#usage.inputTokens + inputTokens,
      outputTokens: this.#usage.outputTokens + outputTokens,
    };
  }

  /** Nobody tells what a run that failed has used: it is taken for all that it might have. */
  countAll(tokens: number): void {
    this.#uncounted += tokens;
  }

  reach(limit: LimitName): void {
    this.#reached ??= limit;
  }

  /** Undefined where no limit was reached. */
  remark(): string | undefined {
    if (this.#reached === null) return undefined;
    const max = this.#limits[this.#reached];
    return `This research ended at its limit of ${max} ${this.#reached}; the report may be incomplete.`;
  }
}

/** Until the end of the studies, or of the whole research. */
type Phase = 'studies' | 'report';

function shareOf(until: Phase): number {
  return until === 'studies' ? 1 - RESEARCH_REPORT_SHARE : 1;
}
