import type { List } from '@trellis/contract/shapes/list.ts';
import type { LlmSearchChange, LlmSearchSettings } from '@trellis/contract/shapes/search.ts';
import type {
  NewTool,
  ToolChange,
  ToolDefinition,
  ToolMetricsList,
} from '@trellis/contract/shapes/tool.ts';
import { AssistantClient } from './assistant-client.ts';
import type { PageRequest } from './pages.ts';
import type { CallOptions } from './transport.ts';

/** Endpoints as models are offered them, and what models may search for; for administrators. */
export class ToolsClient extends AssistantClient {
  /** By name. */
  listTools(page: PageRequest = {}, options?: CallOptions): Promise<List<ToolDefinition>> {
    return this.get('/api/chatai/tools', options, { ...page });
  }

  /** For those who may call the endpoint, and enabled, unless it says otherwise. */
  createTool(tool: NewTool, options?: CallOptions): Promise<ToolDefinition> {
    return this.post('/api/chatai/tools', tool, options);
  }

  /** What is left out stays as it is. */
  putTool(name: string, change: ToolChange, options?: CallOptions): Promise<ToolDefinition> {
    return this.put(toolPath(name), change, options);
  }

  /** Its endpoint stays. */
  deleteTool(name: string, options?: CallOptions): Promise<void> {
    return this.tell('DELETE', toolPath(name), undefined, options);
  }

  /** Calls by models since the primary started. */
  getToolMetrics(options?: CallOptions): Promise<ToolMetricsList> {
    return this.get('/api/chatai/tools/metrics', options);
  }

  /** As they hold: what was never set is all that there is. */
  getLlmSearchSettings(options?: CallOptions): Promise<LlmSearchSettings> {
    return this.get('/api/search/settings/llm', options);
  }

  /** Takes the place of both lists; an empty one stands for all that there is. */
  putLlmSearchSettings(change: LlmSearchChange, options?: CallOptions): Promise<LlmSearchSettings> {
    return this.put('/api/search/settings/llm', change, options);
  }
}

function toolPath(name: string): string {
  return `/api/chatai/tools/${encodeURIComponent(name)}`;
}
