import type { AccessIndex } from '#access/access-index.ts';
import { serverCaller } from '#access/caller.ts';
import type { IngestService } from '#access/ingest-service.ts';
import type { SchemaService } from '#access/schema-service.ts';
import type { ReadableDisk } from '#connectors/connector.ts';
import { ConnectorRuns } from '#connectors/connector-runs.ts';
import { ConnectorSecrets } from '#connectors/connector-secrets.ts';
import { ConnectorService } from '#connectors/connector-service.ts';
import { ConnectorStore } from '#connectors/connector-store.ts';
import type { WorkspaceSettings } from '#identity/workspace-settings.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';
import { SourceProcesses } from '../connectors/source-processes.ts';
import { type Foundation, textRedactor } from './foundation.ts';
import type { Files } from './files.ts';
import type { Identity } from './identity.ts';
import type { Tasks } from './tasks.ts';

export interface ConnectorArguments {
  /** The folder of the workspace; absolute. */
  readonly storage: string;
  readonly sequence: AppliedSequence;
  readonly identity: Pick<Identity, 'workspace' | 'principals'>;
  readonly graph: { readonly schema: SchemaService; readonly ingest: IngestService };
  readonly access: AccessIndex;
  readonly nodeFiles: Files['nodeFiles'];
  readonly signingKey: string;
  readonly disk: ReadableDisk;
}

/** What the runner of tasks knows of connectors, and the service for administrators. */
export interface ConnectorParts {
  readonly work: ConnectorRuns;
  /** To be called once there are tasks. */
  serviceWith(tasks: Pick<Tasks, 'parts'>, jobs: JobRegistry): ConnectorService;
}

/** Addresses that connectors may reach. */
export function allowListOf(
  workspace: Pick<WorkspaceSettings, 'current'>,
  preview: Foundation['preview'],
): readonly string[] {
  return preview === 'closed' ? [] : workspace.current().fetchAllowList;
}

/** Brings sources into the workspace: see `#connectors/connector.ts`. */
export function buildConnectors(foundation: Foundation, parts: ConnectorArguments): ConnectorParts {
  const { storage, sequence, identity, graph, access, nodeFiles, signingKey, disk } = parts;
  const { reader, vault, redact, telemetry, preview, views } = foundation;
  const { workspace, principals } = identity;
  const secrets = ConnectorSecrets.for(vault, signingKey);
  const store = new ConnectorStore(reader, secrets);
  const sources = new SourceProcesses({
    ...graph,
    storage,
    signingKey,
    principals,
    nodeFiles,
    sequence: () => sequence.get(),
  });
  const work = new ConnectorRuns({
    store,
    secrets,
    sources,
    disk,
    allowList: () => allowListOf(workspace, preview),
    onRun: (kind, outcome, seconds) =>
      telemetry?.record('trellis.connector.duration', seconds, {
        'trellis.connector.kind': kind,
        'trellis.connector.outcome': outcome,
      }),
  });
  const onChange = (): void => views.changed('connectors');
  const told = { access, resolve: principals.resolve.bind(principals, serverCaller('connectors')) };
  const afterwards = (done: () => unknown): unknown => done();
  const redacting = { redact: textRedactor(redact) };
  const kept = { store, secrets, sources, work, onChange, afterwards, ...redacting };
  const known = { ...kept, ...told };
  return {
    work,
    serviceWith: (tasks, jobs) =>
      new ConnectorService({ ...foundation, ...known, ...tasks.parts, jobs }),
  };
}
