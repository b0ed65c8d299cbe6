import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  ASSISTANT_INSTRUCTIONS_CHARACTERS_MAX,
  EMBEDDING_MODEL_CHARACTERS_MAX,
  LLM_ANSWER_TOKENS_DEFAULT,
  LLM_ANSWER_TOKENS_MAX,
  LLM_DAY_TOKENS_DEFAULT,
  LLM_DAY_TOKENS_MAX,
  LLM_FURTHER_PROVIDERS_MAX,
  LLM_MODELS_MAX,
  LLM_PROVIDER_NAME_CHARACTERS_MAX,
  PROVIDER_ADDRESS_CHARACTERS_MAX,
  PROVIDER_KEY_CHARACTERS_MAX,
} from '../limits.ts';
import { judgeSetting } from './support.ts';

/**
 * What the protocol begins at, such as `https://api.openai.com/v1` or
 * `https://api.anthropic.com/v1`.
 */
const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(PROVIDER_ADDRESS_CHARACTERS_MAX)
  .refine((text) => !/[?#@]/.test(text), 'must have no user, no query and no fragment');

const model = z.string().trim().min(1).max(EMBEDDING_MODEL_CHARACTERS_MAX);

const embeddings = z.strictObject({
  provider: z.literal('openai-compatible'),
  baseUrl,
  model,
});

const tokensPerAnswer = z.int().min(1).max(LLM_ANSWER_TOKENS_MAX);
const tokensPerUserAndDay = z.int().min(1).max(LLM_DAY_TOKENS_MAX);

const chat = z.strictObject({
  provider: z.enum(['openai-compatible', 'anthropic']),
  baseUrl,
  /** Where nobody names one. */
  model,
  /** Those that may be asked for; `model` is one of them. */
  models: z.array(model).max(LLM_MODELS_MAX),
  tokensPerAnswer,
  /** In and out together, of a user and a day in UTC. */
  tokensPerUserAndDay,
});

/**
 * One more, which is asked for models that no other one has; what a user may use of a day is said
 * with `chat`.
 */
const furtherChat = chat.pick({ provider: true, baseUrl: true, tokensPerAnswer: true }).extend({
  /** For people. */
  name: z
    .string()
    .min(1)
    .max(LLM_PROVIDER_NAME_CHARACTERS_MAX)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be made of letters, digits, "_" and "-"'),
  /** Those that may be asked for. */
  models: chat.shape.models.min(1),
});

/** Key of a provider: sent to it in a header, and never answered. */
const apiKey = z
  .string()
  .max(PROVIDER_KEY_CHARACTERS_MAX)
  .regex(/^[\x21-\x7e]+$/, 'must be letters, digits and signs, without spaces');

/** Left out, the one that is stored stays, unless baseUrl changes; null removes it. */
const keyChange = { apiKey: apiKey.nullable().optional() };

/**
 * The servers that are asked for what models do (open-shapes, section 7); null where there is none.
 */
export const aiProviders = z.strictObject({
  chat: chat.extend({ hasApiKey: z.boolean() }).nullable(),
  /** None is asked while `chat` is null. */
  furtherChat: z.array(furtherChat.extend({ hasApiKey: z.boolean() })),
  embeddings: embeddings.extend({ hasApiKey: z.boolean() }).nullable(),
});
export type AiProviders = Immutable<z.infer<typeof aiProviders>>;

/** A provider that is left out stays as it is; null removes it. */
export const aiProvidersChange = z
  .strictObject({
    chat: chat
      .extend({
        models: chat.shape.models.default([]),
        tokensPerAnswer: tokensPerAnswer.default(LLM_ANSWER_TOKENS_DEFAULT),
        tokensPerUserAndDay: tokensPerUserAndDay.default(LLM_DAY_TOKENS_DEFAULT),
        ...keyChange,
      })
      .nullable(),
    /** All that there are to be. */
    furtherChat: z
      .array(
        furtherChat.extend({
          tokensPerAnswer: tokensPerAnswer.default(LLM_ANSWER_TOKENS_DEFAULT),
          ...keyChange,
        }),
      )
      .max(LLM_FURTHER_PROVIDERS_MAX),
    embeddings: embeddings.extend(keyChange).nullable(),
  })
  .partial();
/** As it is sent. */
export type AiProvidersChange = Immutable<z.input<typeof aiProvidersChange>>;

/** What holds for models of the chat, of agents and of deep research. */
export const assistantSettings = z.strictObject({
  /** Empty for nothing. */
  instructions: z.string().max(ASSISTANT_INSTRUCTIONS_CHARACTERS_MAX),
  /** Null: no model says whether answers are supported by what they cite. */
  judge: judgeSetting.nullable(),
});
export type AssistantSettings = Immutable<z.infer<typeof assistantSettings>>;

/** What is left out stays as it is. */
export const assistantSettingsChange = assistantSettings.partial();
export type AssistantSettingsChange = Immutable<z.infer<typeof assistantSettingsChange>>;
