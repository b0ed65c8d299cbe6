import { SchemaChangeService } from '#definitions/schema-changes/schema-change-service.ts';
import { StagedCommits } from '#graph/staged-commits.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import type { ConnectorService } from '#connectors/connector-service.ts';
import type { WebhookService } from '#webhooks/webhook-service.ts';
import type { ReadState } from '../open-storage.ts';
import type { Assistant } from './assistant.ts';
import type { Foundation } from './foundation.ts';
import type { Tasks } from './tasks.ts';

export interface SchemaChangesArguments {
  readonly store: Pick<ReadState['store'], 'storage' | 'environmentKey'>;
  readonly endpoints: EndpointService;
  readonly assistant: Pick<Assistant, 'tools'>;
  readonly tasks: Pick<Tasks, 'tasks'>;
  readonly webhooks: WebhookService;
  readonly connectors: Pick<ConnectorService, 'renamed'>;
}

const ALL = { skip: 0, take: Number.MAX_SAFE_INTEGER };

/** Changes of names in the schema, and what follows them. */
export function buildSchemaChanges(
  { reader, commits, audit, clock }: Foundation,
  { store, endpoints, assistant: { tools }, tasks: { tasks }, ...told }: SchemaChangesArguments,
): SchemaChangeService {
  return new SchemaChangeService({
    reader,
    commits,
    audit,
    stage: () => {
      const { storage, environmentKey } = store;
      const staged = StagedCommits.open({ storage, environmentKey, clock });
      const code = endpoints.over(staged);
      return {
        commit: (names) => staged.commits.commit({ operations: [], names }),
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
    onRenamed: async () => {
      endpoints.schemaMayHaveChanged();
      reader.refresh();
      const { registry } = reader;
      const names = {
        types: (name: string) => registry.nodeType(name)?.name ?? name,
        edges: (name: string) => registry.edgeType(name)?.name ?? name,
      };
      await told.webhooks.renamed(names);
      await told.connectors.renamed(names);
    },
  });
}
