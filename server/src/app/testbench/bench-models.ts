import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { ModelAsker, ModelCalls } from '#runtime/model-calls.ts';
import type { AiAgentRun, AiAnswer, AiRequest } from '@trellis/endpoint/ai.ts';
import type { TestAi } from '@trellis/endpoint/testing.ts';

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/** What a test says that models and agents answer. */
export class BenchModels implements ModelCalls {
  readonly #ai: TestAi;

  constructor(ai: TestAi = {}) {
    this.#ai = ai;
  }

  async complete(request: unknown, { caller }: ModelAsker): Promise<AiAnswer> {
    requireUser(caller);
    if (this.#ai.complete === undefined) throw notConfigured('complete');
    const answer = await this.#ai.complete(request as AiRequest);
    if (typeof answer !== 'string') return answer;
    return { text: answer, model: 'test', ended: 'answer', usage: NO_USAGE };
  }

  async embed(request: unknown, { caller }: ModelAsker): Promise<unknown> {
    requireUser(caller);
    if (this.#ai.embed === undefined) throw notConfigured('embed');
    const { texts } = request as { readonly texts: readonly string[] };
    return this.#ai.embed(texts);
  }

  async runAgent(request: unknown, { caller }: ModelAsker): Promise<AiAgentRun> {
    requireUser(caller);
    const { name, message, variables = {} } = request as AgentRequest;
    const agent = this.#ai.agents?.[name];
    if (agent === undefined) throw new Problem('agent_not_found', `There is no agent "${name}"`);
    const run = { UID: formatUid(randomUid()), usage: NO_USAGE };
    try {
      const result = await agent(message, variables);
      return { ...run, status: 'Completed', result, error: null };
    } catch (error) {
      const code = error instanceof Problem ? error.code : 'internal_error';
      const fault = { code, message: error instanceof Error ? error.message : String(error) };
      return { ...run, status: 'Failed', result: null, error: fault };
    }
  }
}

interface AgentRequest {
  readonly name: string;
  readonly message: string;
  readonly variables?: Readonly<Record<string, string>>;
}

function requireUser({ userUid }: Caller): void {
  if (userUid !== null) return;
  throw new Problem('ai_needs_user', 'Nobody is signed in whom a model could be asked for');
}

function notConfigured(method: string): Problem {
  return new Problem('llm_not_configured', `The test says nothing of ai.${method}`);
}
