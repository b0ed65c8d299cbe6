import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { LlmServer } from './llm-server.ts';
import { People } from './people.ts';

export const PROVIDER_KEY = 'sk-a-key-that-nobody-else-sees';
export const MODEL = 'large';

export type ProviderKind = 'openai-compatible' | 'anthropic';

/**
 * A workspace with a scripted provider, a user and their tokens, and the official clients, as they
 * are, pointed at the workspace.
 */
export class LlmWorkspace implements AsyncDisposable {
  readonly people: People;
  readonly provider: LlmServer;

  private constructor(people: People, provider: LlmServer) {
    this.people = people;
    this.provider = provider;
  }

  static async start(): Promise<LlmWorkspace> {
    const provider = await LlmServer.start();
    provider.script.key = PROVIDER_KEY;
    const at = new LlmWorkspace(await People.start(), provider);
    await at.people.add('ann');
    for (const kind of ['llm-openai', 'llm-anthropic']) await at.addToken(kind, kind);
    return at;
  }

  async addToken(as: string, kind: string, user = 'ann'): Promise<void> {
    await this.people.addToken(as, { kind, name: as, actingUser: this.people.uid(user) });
  }

  /** Which protocol the provider speaks from now on. */
  async use(provider: ProviderKind, more: object = {}): Promise<void> {
    const baseUrl = this.provider.url;
    const chat = { provider, baseUrl, model: MODEL, apiKey: PROVIDER_KEY, ...more };
    const answer = await this.people.as('admin', 'PUT', '/api/chatai/providers', { chat });
    if (answer.status !== 200) throw new Error(`the provider: ${answer.status} ${answer.text}`);
  }

  openAi(token = 'llm-openai'): OpenAI {
    const apiKey = this.people.token(token);
    return new OpenAI({ apiKey, baseURL: `${this.address}/openai/v1`, maxRetries: 0 });
  }

  anthropic(token = 'llm-anthropic'): Anthropic {
    const apiKey = this.people.token(token);
    return new Anthropic({ apiKey, baseURL: `${this.address}/anthropic`, maxRetries: 0 });
  }

  get address(): string {
    return `${this.people.workspace.server.url}/api/llm`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.people[Symbol.asyncDispose]();
    await this.provider[Symbol.asyncDispose]();
  }
}

/** What a promise rejects with; undefined when it does not. */
export async function thrown(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error,
  );
}
