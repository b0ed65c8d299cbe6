import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { EMBEDDING_MODEL_CHARACTERS_MAX, JSON_BODY_BYTES_MAX } from '../limits.ts';
import { LLM_MESSAGES_MAX, LLM_ROLE_CHARACTERS_MAX } from '../request-limits.ts';
import { LLM_BUDGET_STATES, monthBudget } from './llm-budget.ts';
import { listOf } from './list.ts';

/**
 * Bodies of the two protocols are checked as far as the router reads them: the rest is the
 * provider's to judge, and members that are new get there too.
 */
const request = z.looseObject({
  model: z.string().min(1).max(EMBEDDING_MODEL_CHARACTERS_MAX),
  messages: z
    .array(z.looseObject({ role: z.string().max(LLM_ROLE_CHARACTERS_MAX) }))
    .min(1)
    .max(LLM_MESSAGES_MAX),
  stream: z.boolean().nullish(),
});

export const chatCompletionRequest = request;
export const messageRequest = request.extend({ max_tokens: z.int().min(1) });
/** Without a longest answer: nothing is answered. */
export const messageCountRequest = request;
export const messageCount = z.looseObject({ input_tokens: z.int().min(0) });

/** Without `previous_response_id` and the like: responses are not stored. */
export const responseRequest = request.omit({ messages: true }).extend({
  input: z.union([
    z.string().max(JSON_BODY_BYTES_MAX),
    z.array(z.looseObject({})).min(1).max(LLM_MESSAGES_MAX),
  ]),
});

export const modelInPath = z.object({
  model: z.string().min(1).max(EMBEDDING_MODEL_CHARACTERS_MAX),
});
export const embeddingsRequest = z.looseObject({
  model: z.string().min(1).max(EMBEDDING_MODEL_CHARACTERS_MAX),
  input: z.union([
    z.string().max(JSON_BODY_BYTES_MAX),
    z.array(z.unknown()).max(JSON_BODY_BYTES_MAX),
  ]),
});

/** An object of one of the two protocols. */
export const protocolObject = z.looseObject({});

/**
 * What asks models: a token of the router asks for answers ("router") and for vectors
 * ("embeddings"); "endpoints" is `ai` of their code.
 */
export const LLM_FEATURES = [
  'chat',
  'deep-research',
  'agents',
  'admin-agent',
  'documents',
  'endpoints',
  'router',
  'embeddings',
] as const;
export type LlmFeature = (typeof LLM_FEATURES)[number];

const counts = { calls: z.int(), inputTokens: z.int(), outputTokens: z.int() };

const llmShare = z.strictObject({
  feature: z.enum(LLM_FEATURES),
  model: z.string(),
  ...counts,
});
export type LlmShare = Immutable<z.infer<typeof llmShare>>;

/** What one token, or session, has used on one day in UTC. */
export const llmUsage = z.strictObject({
  day: z.iso.date(),
  token: z.string(),
  user: z.string(),
  ...counts,
  split: z.array(llmShare),
});
export type LlmUsage = Immutable<z.infer<typeof llmUsage>>;

const pace = z.strictObject({
  token: z.string(),
  requestsUnderWay: z.int(),
  requestsBegun: z.int(),
});

/** What is left to a user today. */
export const llmBudget = z.strictObject({
  user: z.string(),
  day: z.iso.date(),
  resetsAt: z.iso.datetime(),
  tokensPerDay: z.int().nullable(),
  tokensUsed: z.int(),
  tokensReserved: z.int(),
  tokensLeft: z.int().nullable(),
  requestsAtOnceMax: z.int(),
  requestsPerMinuteMax: z.int(),
  tokens: z.array(pace),
  split: z.array(llmShare),
  /**
   * Budgets of this month that count what the user uses: those of their teams, and for
   * administrators that of the workspace, which tells what everybody uses.
   */
  months: z.array(monthBudget),
  /** How the budget of the workspace is; null where there is none. */
  workspaceMonth: z.enum(LLM_BUDGET_STATES).nullable(),
  /** Of `months`. */
  currency: z.string(),
});
export type LlmBudget = Immutable<z.infer<typeof llmBudget>>;

/** What was used, and what is left to the caller. */
export const llmUsageList = listOf(llmUsage).extend({ budget: llmBudget });
export type LlmUsageList = Immutable<z.infer<typeof llmUsageList>>;

const providerState = z.strictObject({
  /**
   * "off": there is none; "idle": it was not asked yet; "failing": its last answer was no answer.
   */
  status: z.enum(['off', 'idle', 'ok', 'failing']),
  lastAnswerAt: z.iso.datetime().nullable(),
  lastErrorAt: z.iso.datetime().nullable(),
  lastError: z.string().nullable(),
});

/**
 * How the provider of chat has answered since the server started, and how those beside it: null for
 * not at all.
 */
export const llmState = providerState.extend({
  further: z.array(providerState.extend({ name: z.string() })),
});
export type LlmState = Immutable<z.infer<typeof llmState>>;
