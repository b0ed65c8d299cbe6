import { z } from 'zod';
import type { Caller } from '#access/caller.ts';
import { assert } from '#base/assert.ts';
import { AI_MESSAGES_MAX, AI_TEXTS_MAX, AI_TEXT_CHARACTERS_MAX } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import type { ModelAsker, ModelCalls } from '#runtime/model-calls.ts';
import { ENDPOINT_TIMEOUT_MAX_MS } from '@trellis/contract/limits.ts';
import type { AgentRuns } from '../agents/agent-runs.ts';
import type { LlmAdmission } from '../router/admission.ts';
import { listIn, objectIn } from '../router/json-members.ts';
import type { LlmRouter } from '../router/llm-router.ts';
import { misconfigured } from '../router/provider-problem.ts';
import type { ModelRunner } from './model-run.ts';
import { singleAnswer } from './single-answer.ts';

export interface EndpointModelsParts {
  readonly models: ModelRunner;
  readonly router: Pick<LlmRouter, 'embeddings'>;
  readonly admission: Pick<LlmAdmission, 'embeddings'>;
  readonly agentRuns: Pick<AgentRuns, 'run'>;
  readonly isReplica: boolean;
}

const text = z.string().min(1).max(AI_TEXT_CHARACTERS_MAX);
const completion = z
  .strictObject({
    prompt: text.optional(),
    messages: z
      .array(z.strictObject({ role: z.enum(['user', 'assistant']), text }))
      .min(1)
      .max(AI_MESSAGES_MAX)
      .refine((messages) => messages.at(-1)?.role === 'user', "must end with a user's")
      .optional(),
    instructions: text.optional(),
    model: z.string().optional(),
    maxTokens: z.int().min(1).optional(),
  })
  .refine(({ prompt, messages }) => (prompt === undefined) !== (messages === undefined), {
    error: 'must have either "prompt" or "messages"',
  });
const embedding = z.strictObject({ texts: z.array(text).min(1).max(AI_TEXTS_MAX) });
const agentRun = z.strictObject({
  name: z.string(),
  message: text,
  variables: z.record(z.string(), text.or(z.literal(''))).optional(),
});

/** Asks models for the code of endpoints, as the user of the run. */
export class EndpointModels implements ModelCalls {
  readonly #parts: EndpointModelsParts;

  constructor(parts: EndpointModelsParts) {
    this.#parts = parts;
  }

  async complete(request: unknown, asker: ModelAsker) {
    const { signal } = asker;
    const caller = this.#caller(asker);
    const asked = checked('complete', completion, request);
    const { prompt = '', messages, instructions = '', model, maxTokens } = asked;
    const outcome = await this.#parts.models.run({
      caller,
      feature: 'endpoints',
      model,
      instructions,
      messages: messages ?? [{ role: 'user', text: prompt }],
      ...singleAnswer({
        tokensMax: Infinity,
        answerTokensMax: maxTokens,
        // The run of the endpoint ends before this timeout.
        timeoutMs: ENDPOINT_TIMEOUT_MAX_MS,
      }),
      signal,
    });
    const { text: answer, usage, ended } = outcome;
    const isCut = ended === 'length';
    return { text: answer, model: outcome.model, ended: isCut ? 'length' : 'answer', usage };
  }

  async embed(request: unknown, asker: ModelAsker) {
    const { signal } = asker;
    const caller = this.#caller(asker);
    const { texts } = checked('embed', embedding, request);
    const { router, admission } = this.#parts;
    const { model } = admission.embeddings();
    const body = { model, input: texts, encoding_format: 'float' };
    const call = { caller, body, headers: {}, signal };
    const answer = await router.embeddings(call, 'endpoints');
    assert('json' in answer, 'vectors are not streamed');
    const data = listIn(objectIn(JSON.parse(answer.json))['data']).map(objectIn);
    const vectors = texts.map((_text, index) => data.find((one) => one['index'] === index));
    return vectors.map((one) => {
      const vector = listIn(one?.['embedding']);
      if (vector.length > 0) return vector;
      throw misconfigured('answers without a vector for each text.');
    });
  }

  async runAgent(request: unknown, asker: ModelAsker) {
    const { headers, authorization, isReadOnly, agentDepth, signal } = asker;
    const caller = this.#caller(asker);
    const { name, message, variables } = checked('runAgent', agentRun, request);
    const run = await this.#parts.agentRuns.run(
      caller,
      name,
      { message, variables },
      { address: null, headers, authorization, isReadOnly, depth: agentDepth, signal },
    );
    const { UID, status, result, error, usage } = run;
    const { citations, support, supportRate, supportJudge } = run;
    return { UID, status, result, error, usage, citations, support, supportRate, supportJudge };
  }

  #caller({ caller }: ModelAsker): Caller {
    if (this.#parts.isReplica) {
      throw new Problem('read_only_replica', 'A replica cannot ask models', {
        hint: 'Use runOnPrimary() to call an endpoint that asks the model.',
      });
    }
    if (caller.userUid !== null) return caller;
    throw new Problem('ai_needs_user', 'Nobody is signed in whom a model could be asked for');
  }
}

/** Throws `invalid_request` with a message for the author of the code. */
function checked<T>(method: string, shape: z.ZodType<T>, request: unknown): T {
  const { success, data, error } = shape.safeParse(request);
  if (success) return data;
  const [issue] = error.issues;
  const at = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new Problem('invalid_request', `ai.${method}: ${at}${issue?.message ?? 'not valid'}`);
}
