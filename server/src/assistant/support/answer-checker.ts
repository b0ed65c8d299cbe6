import type { LlmFeature } from '@trellis/contract/shapes/llm.ts';
import type { AnswerSupport } from '@trellis/contract/shapes/support.ts';
import type { Caller } from '#access/caller.ts';
import { type FactsParts, ReaderFacts } from '../citations/reader-facts.ts';
import type { Snippet } from '../citations/snippets.ts';
import type { AssistantSettingsService } from '../assistant-settings.ts';
import type { ModelRunner } from '../model/model-run.ts';
import { ModelJudge } from './model-judge.ts';
import { checkSupport, NO_SUPPORT } from './support.ts';

export interface AnswerCheckerParts extends FactsParts {
  readonly models: ModelRunner;
  readonly settings: Pick<AssistantSettingsService, 'current'>;
  /** Called with errors of the check itself: an answer is kept without its support then. */
  readonly onFault: (error: unknown) => void;
}

export interface CheckedAnswer {
  /** Who asked: the text of a node is what they may read of it, and a judge uses their tokens. */
  readonly caller: Caller;
  /** What the tokens of a judge are counted for; without one, none is asked. */
  readonly judgedFor?: LlmFeature | undefined;
  readonly answer: string;
  /** The facts that it cites. */
  readonly citations: readonly Snippet[];
  readonly signal?: AbortSignal | undefined;
}

/** Checks answers against the graph as their asker sees it, with the judge of the settings. */
export class AnswerChecker {
  readonly #parts: AnswerCheckerParts;

  constructor(parts: AnswerCheckerParts) {
    this.#parts = parts;
  }

  /**
   * See `checkSupport`. Never rejects: when the signal aborts, the answer is checked without the
   * judge.
   */
  async check(answer: CheckedAnswer): Promise<AnswerSupport> {
    try {
      return await this.#checked(answer).catch((error: unknown) => {
        if (answer.signal?.aborted !== true) throw error;
        return this.#checked({ ...answer, judgedFor: undefined, signal: undefined });
      });
    } catch (error) {
      this.#parts.onFault(error);
      return NO_SUPPORT;
    }
  }

  async #checked({ caller, judgedFor, ...answer }: CheckedAnswer): Promise<AnswerSupport> {
    const { models, settings } = this.#parts;
    const facts = new ReaderFacts(this.#parts, caller);
    const setting = judgedFor === undefined ? null : settings.current().judge;
    const judge =
      judgedFor === undefined || setting === null
        ? undefined
        : new ModelJudge({ models, setting, caller, feature: judgedFor });
    return checkSupport({
      ...answer,
      readAs: (citation) => facts.textOf(citation),
      judge,
      caller: caller.userUid ?? '',
    });
  }
}
