import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { EMBEDDING_MODEL_CHARACTERS_MAX, JSON_BODY_BYTES_MAX } from '../limits.ts';
import { LLM_MESSAGES_MAX, LLM_ROLE_CHARACTERS_MAX } from '../request-limits.ts';

/**
 * Bodies of the two protocols are checked as far as the router reads them: the rest is the provider's to judge, and members that are
 * new get there too.
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
export const embeddingsRequest = z.looseObject({
  model: z.string().min(1).max(EMBEDDING_MODEL_CHARACTERS_MAX),
  input: z.union([
    z.string().max(JSON_BODY_BYTES_MAX),
    z.array(z.unknown()).max(JSON_BODY_BYTES_MAX),
  ]),
});

/** An object of one of the two protocols. */
export const protocolObject = z.looseObject({});

/** What one token has used on one day in UTC. */
export const llmUsage = z.strictObject({
  day: z.iso.date(),
  /** The id of the token. */
  token: z.string(),
  /** UID of the user it acts as. */
  user: z.string(),
  calls: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
});
export type LlmUsage = Immutable<z.infer<typeof llmUsage>>;

const providerState = z.strictObject({
  /** "off": there is none; "idle": it was not asked yet; "failing": its last answer was no answer. */
  status: z.enum(['off', 'idle', 'ok', 'failing']),
  lastAnswerAt: z.iso.datetime().nullable(),
  lastErrorAt: z.iso.datetime().nullable(),
  lastError: z.string().nullable(),
});

/** How the provider of chat has answered since the server started, and how those beside it: null for not at all. */
export const llmState = providerState.extend({
  further: z.array(providerState.extend({ name: z.string() })),
});
export type LlmState = Immutable<z.infer<typeof llmState>>;
