import type { AiProviders, AiProvidersChange } from '@trellis/contract/shapes/assistant.ts';
import { SearchEvaluationClient } from './search-evaluation-client.ts';
import type { CallOptions } from './transport.ts';

/** Which servers are asked for what models do; for administrators. */
export class AssistantClient extends SearchEvaluationClient {
  /** Without their keys. */
  getAiProviders(options?: CallOptions): Promise<AiProviders> {
    return this.get('/api/chatai/providers', options);
  }

  /** A provider that is left out stays as it is, as does its key while `baseUrl` is the same; null removes either. */
  putAiProviders(change: AiProvidersChange, options?: CallOptions): Promise<AiProviders> {
    return this.put('/api/chatai/providers', change, options);
  }
}
