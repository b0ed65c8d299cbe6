import type { AiProviders, AiProvidersChange } from '@trellis/contract/shapes/assistant.ts';
import type { LlmState, LlmUsageList } from '@trellis/contract/shapes/llm.ts';
import { DefinitionsClient } from './definitions-client.ts';
import type { PageRequest } from './pages.ts';
import type { CallOptions } from './transport.ts';

/** Which servers are asked for what models do, and what was asked of them; for administrators. */
export class AssistantClient extends DefinitionsClient {
  /** Without their keys. */
  getAiProviders(options?: CallOptions): Promise<AiProviders> {
    return this.get('/api/chatai/providers', options);
  }

  /** A provider that is left out stays as it is, as does its key while `baseUrl` is the same; null removes either. */
  putAiProviders(change: AiProvidersChange, options?: CallOptions): Promise<AiProviders> {
    return this.put('/api/chatai/providers', change, options);
  }

  /**
   * What was used of models, by day, token, feature and model, of the last 31 days, the newest day first: of everybody for
   * administrators, of the caller for others. `budget` is what is left to the caller today.
   */
  listLlmUsage({ skip, take }: PageRequest = {}, options?: CallOptions): Promise<LlmUsageList> {
    return this.get('/api/llm/usage', options, { skip, take });
  }

  /** Whether the provider of chat answers, and what was wrong when it did not. */
  getLlmState(options?: CallOptions): Promise<LlmState> {
    return this.get('/api/llm/state', options);
  }
}
