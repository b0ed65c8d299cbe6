import type { AccessService } from '#access/access-service.ts';
import type { SchemaService } from '#access/schema-service.ts';
import type { ConnectorService } from '#connectors/connector-service.ts';
import type { DefinitionKinds } from '#definitions/definition-import.ts';
import { DefinitionsService, type StagedDefinitions } from '#definitions/definitions-service.ts';
import { DeploymentStore } from '#definitions/deployment-store.ts';
import { AgentKind } from '#definitions/kinds/agent-kind.ts';
import { ConnectorKind } from '#definitions/kinds/connector-kind.ts';
import { EndpointKind } from '#definitions/kinds/endpoint-kind.ts';
import { GoldenAnswersKind } from '#definitions/kinds/golden-answers-kind.ts';
import { GoldenSetKind } from '#definitions/kinds/golden-set-kind.ts';
import { LlmSearchSettingsKind } from '#definitions/kinds/llm-search-settings-kind.ts';
import { MigrationKind } from '#definitions/kinds/migration-kind.ts';
import { ModuleKind } from '#definitions/kinds/module-kind.ts';
import { PackageKind } from '#definitions/kinds/package-kind.ts';
import { ResearchSettingsKind } from '#definitions/kinds/research-settings-kind.ts';
import { SchemaKind } from '#definitions/kinds/schema-kind.ts';
import { SchemaRenamesKind } from '#definitions/kinds/schema-renames-kind.ts';
import { SearchSettingsKind } from '#definitions/kinds/search-settings-kind.ts';
import { SynonymsKind } from '#definitions/kinds/synonyms-kind.ts';
import { TaskKind } from '#definitions/kinds/task-kind.ts';
import { ToolKind } from '#definitions/kinds/tool-kind.ts';
import { TypeAccessKind, type KnownPeople } from '#definitions/kinds/type-access-kind.ts';
import { WorkspaceSettingsKind } from '#definitions/kinds/workspace-settings-kind.ts';
import { StagedRenames } from '#definitions/schema-changes/staged-renames.ts';
import type { StagedResearchSettings } from '#assistant/research/deep-research.ts';
import type { GraphReader } from '#graph/reader.ts';
import { StagedCommits, type Staging } from '#graph/staged-commits.ts';
import { validate } from '#http/error-answer.ts';
import type { SearchConfiguration } from '#http/services.ts';
import type { TokenService } from '#identity/token-service.ts';
import type { WorkspaceSettings } from '#identity/workspace-settings.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import type { StagedEndpoints } from '#runtime/staged-endpoints.ts';
import type { GoldenSetService } from '#search/evaluation/golden-set-service.ts';
import { typeAccess } from '@trellis/contract/shapes/access.ts';
import { agentChange, agentInPath } from '@trellis/contract/shapes/agent.ts';
import { connectorDefinition, definedConnectorId } from '@trellis/contract/shapes/connector.ts';
import { researchSettingsChange } from '@trellis/contract/shapes/deep-research.ts';
import { endpointChange } from '@trellis/contract/shapes/endpoint.ts';
import { migrationChange, migrationInPath } from '@trellis/contract/shapes/migration.ts';
import { moduleChange, moduleName } from '@trellis/contract/shapes/module.ts';
import { packageBundle, packageSpecifier } from '@trellis/contract/shapes/package.ts';
import { schemaRenames } from '@trellis/contract/shapes/schema-change.ts';
import { schemaDocument, type SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import {
  goldenAnswersContent,
  goldenAnswersInPath,
} from '@trellis/contract/shapes/golden-answers.ts';
import { goldenSetContent, goldenSetInPath } from '@trellis/contract/shapes/search-evaluation.ts';
import {
  llmSearchChange,
  searchSettings,
  synonymLists,
  synonymQuery,
} from '@trellis/contract/shapes/search.ts';
import { taskChange, taskInPath } from '@trellis/contract/shapes/task.ts';
import { toolChange, toolInPath } from '@trellis/contract/shapes/tool.ts';
import { workspaceSettingsChange } from '@trellis/contract/shapes/workspace.ts';
import type { ReadState } from '../open-storage.ts';
import { VERSION } from '../server-status.ts';
import type { Assistant } from './assistant.ts';
import { allowListOf } from './connectors.ts';
import { currentSchema, type Foundation } from './foundation.ts';
import type { Search } from './search.ts';
import type { Tasks } from './tasks.ts';

/** The services whose definitions are exported and imported. */
export interface DefinitionsArguments {
  readonly store: Pick<ReadState['store'], 'storage' | 'environmentKey'>;
  readonly jobs: JobRegistry;
  readonly tokens: Pick<TokenService, 'get'>;
  readonly endpoints: EndpointService;
  readonly workspace: WorkspaceSettings;
  readonly graph: { readonly access: AccessService; readonly schema: SchemaService };
  readonly search: Pick<Search, 'searchConfiguration' | 'goldenSets'>;
  readonly assistant: Pick<
    Assistant,
    'agents' | 'deepResearch' | 'goldenAnswers' | 'llmSearchSettings' | 'tools'
  >;
  readonly tasks: Pick<Tasks, 'tasks' | 'migrations'>;
  readonly connectors: ConnectorService;
  /** To be called once the schema has other names. */
  readonly onSchemaChanged: () => Promise<void>;
}

/** Exports and imports definitions: files are held to the contract as requests are. */
export function buildDefinitions(
  foundation: Foundation,
  parts: DefinitionsArguments,
): DefinitionsService {
  const { reader, commits, audit, clock, logger } = foundation;
  const { endpoints, workspace, graph, assistant, connectors } = parts;
  const { searchConfiguration, goldenSets } = parts.search;
  const { settings, synonyms } = searchConfiguration;
  const { agents, tools, llmSearchSettings, deepResearch: research, goldenAnswers } = assistant;
  const staging = { reader, commits, afterwards: (work: () => unknown) => void work() };
  return new DefinitionsService({
    jobs: parts.jobs,
    reader,
    commits,
    audit,
    clock,
    kinds: definitionKinds(reader, {
      ...graph,
      ...parts.tasks,
      endpoints,
      workspace,
      settings,
      synonyms,
      goldenSets,
      agents,
      tools,
      llmSearchSettings,
      research,
      goldenAnswers,
      connectors,
      renames: renamesOver(staging, audit, parts.onSchemaChanged),
    }),
    stage: () => stagedDefinitions(foundation, parts),
    deployments: new DeploymentStore(reader),
    tokenName: (id) => parts.tokens.get(id).name,
    version: VERSION,
    onFault: (err) => logger.error({ err }, 'an import of definitions failed'),
  });
}

/** The same services, over a state in which an import is only tried. */
function stagedDefinitions(
  { clock, audit, preview }: Foundation,
  { store, workspace: live, graph, search, assistant, ...parts }: DefinitionsArguments,
): StagedDefinitions {
  const { storage, environmentKey } = store;
  const staged = StagedCommits.open({ storage, environmentKey, clock });
  const endpoints = parts.endpoints.over(staged);
  const workspace = live.over(staged);
  const { settings, synonyms } = search.searchConfiguration;
  const kinds = definitionKinds(staged.reader, {
    endpoints,
    workspace,
    access: graph.access.over(staged),
    schema: graph.schema.over(staged),
    settings: settings.over(staged),
    synonyms: synonyms.over(staged),
    goldenSets: search.goldenSets.over(staged),
    agents: assistant.agents.over(staged),
    tools: assistant.tools.over(staged, endpoints),
    llmSearchSettings: assistant.llmSearchSettings.over(staged),
    research: assistant.deepResearch.settingsOver(staged),
    goldenAnswers: assistant.goldenAnswers.over(staged),
    tasks: parts.tasks.tasks.over(staged, {
      access: (name) => endpoints.standing(name)?.access,
    }),
    connectors: parts.connectors.over(staged, () => allowListOf(workspace, preview)),
    migrations: endpoints.migrations,
    renames: renamesOver(staged, audit, parts.onSchemaChanged),
  });
  return {
    kinds,
    request: () => staged.request(),
    committed: () => staged.committed(),
    broken: (signal) => endpoints.broken(signal),
    [Symbol.asyncDispose]: () => staged[Symbol.asyncDispose](),
  };
}

function renamesOver(
  staging: Staging & Pick<StagedCommits, 'reader'>,
  audit: Foundation['audit'],
  onChanged: DefinitionsArguments['onSchemaChanged'],
): StagedRenames {
  return new StagedRenames(staging, {
    audit,
    onChanged,
    registry: () => staging.reader.registry,
  });
}

interface DefinedBy {
  readonly endpoints: EndpointService | StagedEndpoints;
  readonly workspace: WorkspaceSettings;
  readonly access: AccessService;
  readonly schema: SchemaService;
  readonly settings: SearchConfiguration['settings'];
  readonly synonyms: SearchConfiguration['synonyms'];
  readonly goldenSets: GoldenSetService;
  readonly agents: Assistant['agents'];
  readonly tools: Assistant['tools'];
  readonly llmSearchSettings: Assistant['llmSearchSettings'];
  readonly research: StagedResearchSettings;
  readonly goldenAnswers: Assistant['goldenAnswers'];
  readonly tasks: Tasks['tasks'];
  readonly migrations: Tasks['migrations'];
  readonly connectors: ConnectorService;
  readonly renames: StagedRenames;
}

function definitionKinds(reader: GraphReader, parts: DefinedBy): DefinitionKinds {
  const people = knownPeople(reader);
  return {
    'schema-renames': new SchemaRenamesKind(parts.renames, fromFile(schemaRenames)),
    schema: new SchemaKind(
      parts.schema,
      () => currentSchema(reader),
      (document) => fromFile(schemaDocument)(document) as SchemaDocument,
    ),
    'workspace-settings': new WorkspaceSettingsKind(
      parts.workspace,
      fromFile(workspaceSettingsChange.omit({ ReplicaURLs: true, interface: true })),
    ),
    'type-access': new TypeAccessKind(
      parts.access,
      people,
      (document) => fromFile(typeAccess)(document) as ReturnType<AccessService['types']>,
    ),
    'search-settings': new SearchSettingsKind(reader, parts.settings, fromFile(searchSettings)),
    synonyms: new SynonymsKind(reader, parts.synonyms, {
      token: fromFile(synonymQuery.shape.token),
      lists: fromFile(synonymLists),
    }),
    'llm-search-settings': new LlmSearchSettingsKind(
      parts.llmSearchSettings,
      fromFile(llmSearchChange.omit({ available: true })),
    ),
    ...codeKinds(parts),
    tool: new ToolKind(parts.tools, {
      name: (name) => validate(toolInPath, { name }, 'tool').name,
      definition: fromFile(toolChange),
    }),
    agent: new AgentKind(parts.agents, {
      name: (name) => validate(agentInPath, { name }, 'agent').name,
      definition: fromFile(agentChange),
    }),
    task: new TaskKind(
      { tasks: parts.tasks, people },
      {
        name: (name) => validate(taskInPath, { name }, 'task').name,
        definition: fromFile(taskChange),
      },
    ),
    connector: new ConnectorKind(parts.connectors, {
      id: (id) => validate(definedConnectorId, id, 'connector'),
      definition: fromFile(connectorDefinition),
    }),
    'research-settings': new ResearchSettingsKind(parts.research, fromFile(researchSettingsChange)),
    'golden-set': new GoldenSetKind(parts.goldenSets, {
      name: (name) => validate(goldenSetInPath, { name }, 'golden set').name,
      definition: fromFile(goldenSetContent),
    }),
    'golden-answers': new GoldenAnswersKind(parts.goldenAnswers, {
      name: (name) => validate(goldenAnswersInPath, { name }, 'golden answers').name,
      definition: fromFile(goldenAnswersContent),
    }),
  };
}

function codeKinds({ endpoints, migrations }: Pick<DefinedBy, 'endpoints' | 'migrations'>) {
  return {
    package: new PackageKind(endpoints.modules, {
      name: (name) => validate(packageSpecifier, name, 'package'),
      definition: fromFile(packageBundle),
    }),
    module: new ModuleKind(endpoints.modules, {
      name: (name) => validate(moduleName, name, 'module'),
      definition: fromFile(moduleChange.omit({ version: true })),
    }),
    endpoint: new EndpointKind(
      endpoints,
      fromFile(endpointChange.omit({ name: true, version: true })),
    ),
    migration: new MigrationKind(
      { migrations },
      {
        name: (name) => validate(migrationInPath, { name }, 'migration').name,
        definition: fromFile(migrationChange),
      },
    ),
  };
}

function fromFile<T>(schema: Parameters<typeof validate<T>>[0]): (given: unknown) => T {
  return (given) => validate(schema, given, 'file');
}

function knownPeople(reader: GraphReader): KnownPeople {
  const named = (type: string, field: string): ReadonlyMap<string, string> => {
    reader.refresh();
    const ids = reader.idsOfType(type);
    return new Map(ids.map((id) => [reader.uid(id) ?? '', String(reader.field(id, field))]));
  };
  return {
    teams: () => named('_AccessGroup', 'Name'),
    users: () => named('_User', 'UserName'),
  };
}
