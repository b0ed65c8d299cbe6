import type { GoldenQuestion } from '@trellis/contract/shapes/golden-answers.ts';
import type { Caller } from '#access/caller.ts';
import {
  CHAT_TURN_TOKENS_MAX,
  GOLDEN_READ_CHARACTERS_MAX,
  LLM_CHARACTERS_PER_TOKEN,
} from '#base/assistant-limits.ts';
import { CHAT_INSTRUCTIONS, CHAT_LIMITS } from '../chat/running-turn.ts';
import { Snippets } from '../citations/snippets.ts';
import type { ModelRunner, ModelTool } from '../model/model-run.ts';
import type { WorkspaceBrief } from '../model/workspace-brief.ts';
import type { CallerTools } from '../tools/caller-tools.ts';
import type { QuestionTrace } from './question-trace.ts';

export interface AskerParts {
  readonly models: ModelRunner;
  readonly tools: Pick<CallerTools, 'for'>;
  readonly brief: Pick<WorkspaceBrief, 'after'>;
  /** In milliseconds; only differences between two values count. */
  readonly now: () => number;
}

export interface QuestionAsked {
  /** Who asks: tools run as this user. */
  readonly asker: Caller;
  /** Who started the run, and whose tokens are used. */
  readonly payer: Caller;
  readonly model: string;
  readonly tokensMax: number;
  readonly signal: AbortSignal;
}

export interface AskedQuestion {
  readonly trace: QuestionTrace;
  readonly tokens: number;
  readonly ms: number;
  /** Of a question that could not be answered. */
  readonly error: unknown;
}

/**
 * Asks one question as a chat asks its first one, with the tools that its user may call and that
 * only read, and keeps no conversation. Never rejects, but when the signal has aborted.
 */
export async function askQuestion(
  { question }: Pick<GoldenQuestion, 'question'>,
  { asker, payer, model, tokensMax, signal }: QuestionAsked,
  { models, tools, brief, now }: AskerParts,
): Promise<AskedQuestion> {
  const snippets = new Snippets();
  const read = new ReadTexts();
  const startedMs = now();
  let said = '';
  const outcome = (answer: string, tokens: number, error: unknown): AskedQuestion => {
    const { texts, inputs } = read;
    const facts = { found: snippets.all, cited: snippets.citedIn(answer) };
    return {
      trace: { question, answer, read: texts, inputs, ...facts },
      tokens,
      ms: now() - startedMs,
      error,
    };
  };
  try {
    const wanted = { snippets, isReadOnlyOnly: true, question, signal };
    const offered = await tools.for(asker, wanted);
    const { text, usage } = await models.run({
      caller: payer,
      feature: 'chat',
      model,
      instructions: brief.after(CHAT_INSTRUCTIONS, asker),
      messages: [{ role: 'user', text: question }],
      tools: offered.map((tool) => read.watched(tool)),
      limits: { ...CHAT_LIMITS, tokensMax: Math.min(CHAT_TURN_TOKENS_MAX, tokensMax) },
      signal,
      onEvent: (event) => {
        if (event.kind === 'text') said += event.text;
      },
    });
    return outcome(text, usage.inputTokens + usage.outputTokens, undefined);
  } catch (error) {
    signal.throwIfAborted();
    // What a failed run has used is not told: its texts are counted instead.
    const characters = CHAT_INSTRUCTIONS.length + question.length + said.length + read.characters;
    return outcome(said, Math.ceil(characters / LLM_CHARACTERS_PER_TOKEN), error);
  }
}

/** What tools have told a model. */
class ReadTexts {
  readonly texts: string[] = [];
  readonly inputs: string[] = [];
  characters = 0;

  watched(tool: ModelTool): ModelTool {
    return {
      ...tool,
      call: async (input, signal) => {
        this.inputs.push(JSON.stringify(input));
        const result = await tool.call(input, signal);
        this.characters += result.text.length;
        if (this.characters <= GOLDEN_READ_CHARACTERS_MAX) this.texts.push(result.text);
        return result;
      },
    };
  }
}
