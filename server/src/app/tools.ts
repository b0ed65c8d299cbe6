import type { AuditTrail } from '#access/audit-event.ts';
import type { NodeService } from '#access/node-service.ts';
import { McpService } from '#assistant/mcp/mcp-service.ts';
import { CallerTools } from '#assistant/tools/caller-tools.ts';
import { ToolCatalog, ToolStore } from '#assistant/tools/tool-catalog.ts';
import { ToolMetrics, ToolService } from '#assistant/tools/tool-service.ts';
import { ToolRuns } from '#assistant/tools/tool-runs.ts';
import { systemClock } from '#base/clock.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import { LlmSearchSettingsService } from '#search/settings/llm-search-settings.ts';
import { VERSION } from './server-status.ts';

export interface ToolsParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly endpoints: EndpointService;
  readonly nodes: NodeService;
}

export interface Tools {
  readonly mcp: McpService;
  readonly tools: ToolService;
  readonly llmSearchSettings: LlmSearchSettingsService;
  readonly callerTools: CallerTools;
}

/** Puts together what models are offered, and the protocol by which clients of others reach it. */
export function openTools(parts: ToolsParts): Tools {
  const { reader, endpoints, nodes } = parts;
  const metrics = new ToolMetrics();
  const llmSearchSettings = new LlmSearchSettingsService(parts);
  const catalog = new ToolCatalog(endpoints, new ToolStore(reader));
  const runs = new ToolRuns({
    run: (run) => endpoints.run(run),
    narrowSearch: (request) => llmSearchSettings.narrowed(request),
    onCalled: (tool, ms, isError) => metrics.record(tool, ms, isError, systemClock.now()),
    now: () => performance.now(),
  });
  const mcp = new McpService({
    catalog,
    runs,
    nodes,
    version: VERSION,
    now: () => performance.now(),
  });
  const tools = new ToolService({ ...parts, clock: systemClock, metrics });
  return { mcp, tools, llmSearchSettings, callerTools: new CallerTools(catalog, runs) };
}
