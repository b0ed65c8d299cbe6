import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  EMBEDDING_MODEL_CHARACTERS_MAX,
  PROVIDER_ADDRESS_CHARACTERS_MAX,
  PROVIDER_KEY_CHARACTERS_MAX,
} from '../limits.ts';

/** What OpenAI's protocol begins at, such as `https://api.openai.com/v1`. */
const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(PROVIDER_ADDRESS_CHARACTERS_MAX)
  .refine((text) => !/[?#@]/.test(text), 'must have no user, no query and no fragment');

const embeddings = z.strictObject({
  provider: z.literal('openai-compatible'),
  baseUrl,
  model: z.string().trim().min(1).max(EMBEDDING_MODEL_CHARACTERS_MAX),
});

/** Of a server, never told; it goes into a header. */
const apiKey = z
  .string()
  .max(PROVIDER_KEY_CHARACTERS_MAX)
  .regex(/^[\x21-\x7e]+$/, 'must be letters, digits and signs, without spaces');

/** The servers that are asked for what models do (open-shapes, section 7); null where there is none. */
export const aiProviders = z.strictObject({
  embeddings: embeddings.extend({ hasApiKey: z.boolean() }).nullable(),
});
export type AiProviders = Immutable<z.infer<typeof aiProviders>>;

/** A provider that is left out stays as it is; null removes it. */
export const aiProvidersChange = z
  .strictObject({
    embeddings: embeddings
      .extend({
        /** Left out, the one that is stored stays, unless baseUrl changes; null removes it. */
        apiKey: apiKey.nullable().optional(),
      })
      .nullable(),
  })
  .partial();
export type AiProvidersChange = Immutable<z.infer<typeof aiProvidersChange>>;
