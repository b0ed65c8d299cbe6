import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { EMBEDDING_MODEL_CHARACTERS_MAX, LLM_PROVIDER_NAME_CHARACTERS_MAX } from '../limits.ts';

/**
 * "supported": what it cites says so. "partly": it says only a part of it. "unsupported": it does
 * not say so. "unchecked": the sentence cites nothing, or only a judge could tell.
 */
export const SUPPORT_VERDICTS = ['supported', 'partly', 'unsupported', 'unchecked'] as const;
export type SupportVerdict = (typeof SUPPORT_VERDICTS)[number];

/** One sentence of an answer, with what it cites (open-shapes, section 14). */
export const sentenceSupport = z.strictObject({
  /** As it stands in the text of the answer: its UTF-16 units from `start` to before `end`. */
  sentence: z.string(),
  start: z.int().min(0),
  end: z.int().min(0),
  verdict: z.enum(SUPPORT_VERDICTS),
  /** What it cites and the reader may see; `quote` is empty where nothing there supports it. */
  citations: z.array(z.strictObject({ id: z.int().min(1), uid: z.string(), quote: z.string() })),
});
export type SentenceSupport = Immutable<z.infer<typeof sentenceSupport>>;

/** How the judge did: "incomplete" where it left sentences out, which stand as without it. */
export const supportJudge = z.strictObject({
  model: z.string(),
  outcome: z.enum(['complete', 'incomplete', 'failed']),
  /** Code of the error that it failed with. */
  code: z.string().nullable(),
});
export type SupportJudgeReport = Immutable<z.infer<typeof supportJudge>>;

/** Members of every answer that cites. */
export const supportMembers = {
  /** In the order of the text. */
  support: z.array(sentenceSupport),
  /** Supported sentences of those that are not "unchecked"; null where all are. */
  supportRate: z.number().min(0).max(1).nullable(),
  /** Null where no judge was asked. */
  supportJudge: supportJudge.nullable(),
};
export const answerSupport = z.strictObject(supportMembers);
export type AnswerSupport = Immutable<z.infer<typeof answerSupport>>;

/** The model that is asked whether sentences are supported. */
export const judgeSetting = z.strictObject({
  /** Name of a further provider, or the protocol that a provider of chat speaks. */
  provider: z.string().min(1).max(LLM_PROVIDER_NAME_CHARACTERS_MAX),
  /** May be one that users may not ask. */
  model: z.string().trim().min(1).max(EMBEDDING_MODEL_CHARACTERS_MAX),
});
export type JudgeSetting = Immutable<z.infer<typeof judgeSetting>>;
