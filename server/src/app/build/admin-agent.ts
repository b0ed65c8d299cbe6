import type { SchemaService } from '#access/schema-service.ts';
import { AdminAgent } from '#assistant/admin-agent/admin-agent.ts';
import { AgentKind, type Agents } from '#assistant/admin-agent/kinds/agent-kind.ts';
import { EndpointKind } from '#assistant/admin-agent/kinds/endpoint-kind.ts';
import { SchemaKind } from '#assistant/admin-agent/kinds/schema-kind.ts';
import { SearchSettingsKind } from '#assistant/admin-agent/kinds/search-settings-kind.ts';
import { ToolKind } from '#assistant/admin-agent/kinds/tool-kind.ts';
import type { FileStore } from '#files/file-store.ts';
import type { ModelRunner } from '#assistant/model/model-run.ts';
import type { ToolService } from '#assistant/tools/tool-service.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { SearchConfiguration } from '#http/services.ts';
import { validate } from '#http/error-answer.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import { defaultSettings } from '#search/settings/search-settings.ts';
import { readSearchSettings } from '#search/settings/search-settings-service.ts';
import { agentChange, agentInPath } from '@trellis/contract/shapes/agent.ts';
import { endpointChange } from '@trellis/contract/shapes/endpoint.ts';
import { schemaDocument, type SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { searchSettings } from '@trellis/contract/shapes/search.ts';
import { toolChange, toolInPath } from '@trellis/contract/shapes/tool.ts';
import { currentSchema, type Foundation } from './foundation.ts';

export interface AdminAgentArguments {
  readonly endpoints: EndpointService;
  readonly tools: ToolService;
  readonly agents: Agents;
  readonly schema: SchemaService;
  readonly searchConfiguration: SearchConfiguration;
  readonly models: ModelRunner;
  readonly files: FileStore;
  /** Throws `llm_not_configured`. */
  readonly requireProvider: () => void;
}

/**
 * The agent that proposes changes of definitions: what it proposes is held to the contract as a
 * request is.
 */
export function buildAdminAgent(foundation: Foundation, parts: AdminAgentArguments): AdminAgent {
  const { reader, logger } = foundation;
  const { endpoints, tools, agents } = parts;
  const toolKind = new ToolKind(tools, endpoints, {
    name: (name) => validate(toolInPath, { name }, 'tool').name,
    definition: definitionOf(toolChange),
  });
  return new AdminAgent({
    ...foundation,
    endpoints,
    modelRunner: parts.models,
    files: parts.files,
    requireProvider: parts.requireProvider,
    kinds: {
      endpoint: new EndpointKind(
        endpoints,
        toolKind,
        definitionOf(endpointChange.omit({ name: true, version: true })),
      ),
      tool: toolKind,
      agent: new AgentKind(agents, {
        name: (name) => validate(agentInPath, { name }, 'agent').name,
        definition: definitionOf(agentChange),
      }),
      schema: new SchemaKind(
        parts.schema,
        () => currentSchema(reader),
        (document) => validate(schemaDocument, document, 'definition') as SchemaDocument,
      ),
      'search-settings': new SearchSettingsKind(
        searchSettingsOf(reader, parts.searchConfiguration),
        definitionOf(searchSettings),
      ),
    },
    onFault: (err) => logger.error({ err }, 'a commit of the admin agent failed'),
  });
}

function definitionOf<T>(schema: Parameters<typeof validate<T>>[0]): (definition: object) => T {
  return (definition) => validate(schema, definition, 'definition');
}

function searchSettingsOf(reader: GraphReader, { settings }: SearchConfiguration) {
  return {
    get: () => {
      reader.refresh();
      return readSearchSettings(reader);
    },
    defaults: () => {
      reader.refresh();
      return defaultSettings(reader.schema());
    },
    put: settings.put.bind(settings),
  };
}
