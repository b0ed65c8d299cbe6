import { SchemaChangeService } from '#definitions/schema-changes/schema-change-service.ts';
import { findTaken } from '#graph/schema-drop.ts';
import { StagedCommits } from '#graph/staged-commits.ts';
import type { IndexBuilder } from '#jobs/index-builder.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import type { ConnectorService } from '#connectors/connector-service.ts';
import type { WebhookService } from '#webhooks/webhook-service.ts';
import type { ReadState } from '../open-storage.ts';
import type { Assistant } from './assistant.ts';
import type { Foundation } from './foundation.ts';
import type { Search } from './search.ts';
import type { Tasks } from './tasks.ts';

export interface SchemaChangesArguments {
  readonly store: Pick<ReadState['store'], 'storage' | 'environmentKey'>;
  readonly endpoints: EndpointService;
  readonly assistant: Pick<Assistant, 'tools'>;
  readonly tasks: Pick<Tasks, 'tasks'>;
  readonly search: Pick<Search, 'goldenSets'>;
  readonly jobs: JobRegistry;
  readonly onSchemaChanged: () => Promise<void>;
}

/** What follows a change of the schema after its commit. */
export interface SchemaFollowers {
  readonly endpoints: Pick<EndpointService, 'schemaMayHaveChanged'>;
  readonly webhooks: Pick<WebhookService, 'renamed'>;
  readonly connectors: Pick<ConnectorService, 'renamed'>;
  readonly indexes: Pick<IndexBuilder, 'look'>;
}

const ALL = { skip: 0, take: Number.MAX_SAFE_INTEGER };

/** Tells types of code, indexes, and what names types outside of settings. */
export function afterSchemaChange(
  { reader }: Foundation,
  { endpoints, webhooks, connectors, indexes }: SchemaFollowers,
): () => Promise<void> {
  return async () => {
    endpoints.schemaMayHaveChanged();
    indexes.look();
    reader.refresh();
    const { registry } = reader;
    const names = {
      types: (name: string) => registry.nodeType(name)?.name ?? name,
      edges: (name: string) => registry.edgeType(name)?.name ?? name,
    };
    await webhooks.renamed(names);
    await connectors.renamed(names);
  };
}

/** Changes of a schema that is in use. */
export function buildSchemaChanges(
  { reader, commits, audit, clock }: Foundation,
  parts: SchemaChangesArguments,
): SchemaChangeService {
  const { store, endpoints, jobs, onSchemaChanged } = parts;
  const { tools } = parts.assistant;
  const { tasks } = parts.tasks;
  const { goldenSets } = parts.search;
  return new SchemaChangeService({
    reader,
    commits,
    audit,
    jobs,
    taken: (by) => findTaken(reader.registry, by),
    goldenSets: (caller) =>
      goldenSets.list(caller).items.map(({ name }) => goldenSets.get(caller, name)),
    stage: () => {
      const { storage, environmentKey } = store;
      const staged = StagedCommits.open({ storage, environmentKey, clock });
      const code = endpoints.over(staged);
      return {
        commit: (edits) => staged.commits.commit({ operations: [], edits }),
        broken: async (signal) => [
          ...(await code.broken(signal)),
          ...(await code.brokenMigrations(signal)).map((one) => ({
            kind: 'migration' as const,
            ...one,
          })),
        ],
        [Symbol.asyncDispose]: () => staged[Symbol.asyncDispose](),
      };
    },
    endpointUsers: (caller) => [
      ...tools.list(caller, ALL).items.map(({ name, endpoint }) => ({
        kind: 'tool' as const,
        name,
        endpoint,
      })),
      ...tasks
        .list(caller, ALL)
        .items.flatMap(({ name, endpoint }) =>
          typeof endpoint === 'string' ? [{ kind: 'task' as const, name, endpoint }] : [],
        ),
    ],
    onChanged: onSchemaChanged,
  });
}
