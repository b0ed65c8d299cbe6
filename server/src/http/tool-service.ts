import type { Caller } from '#access/caller.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type { LlmSearchChange, LlmSearchSettings } from '@trellis/contract/shapes/search.ts';
import type {
  NewTool,
  ToolChange,
  ToolDefinition,
  ToolMetricsList,
} from '@trellis/contract/shapes/tool.ts';
import type { Awaitable } from './answer.ts';

/** Endpoints as models are offered them. `address` is that of the client, for the audit. */
export interface ToolService {
  list(caller: Caller, page: Page): Awaitable<List<ToolDefinition>>;
  /** Throws `tool_exists`, `endpoint_not_found`, `endpoint_not_compiled`, `invalid_request`. */
  create(caller: Caller, tool: NewTool, address: string): Promise<ToolDefinition>;
  /** The same, and this and the next throw `tool_not_found`, `version_conflict`. */
  put(caller: Caller, name: string, change: ToolChange, address: string): Promise<ToolDefinition>;
  delete(caller: Caller, name: string, address: string): Promise<void>;
  metrics(caller: Caller): Awaitable<ToolMetricsList>;
}

/** What models may search for. */
export interface LlmSearchSettingsService {
  get(caller: Caller): Awaitable<LlmSearchSettings>;
  /** Throws `invalid_request` for what cannot be searched, `version_conflict`. */
  put(caller: Caller, change: LlmSearchChange, address: string): Promise<LlmSearchSettings>;
}
