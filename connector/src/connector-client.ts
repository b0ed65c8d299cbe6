import type { TrellisClient } from '@trellis/client/trellis-client.ts';

/**
 * What a run needs of a workspace: a `TrellisClient` has it, and so has the server itself for the
 * connectors that it runs.
 */
export interface ConnectorClient extends Pick<TrellisClient, 'baseUrl' | 'lastWriteSequence'> {
  readonly schema: Pick<TrellisClient['schema'], 'put'>;
  readonly graph: Pick<TrellisClient['graph'], 'ingest'>;
  readonly access: Pick<TrellisClient['access'], 'resolvePrincipals'>;
}
