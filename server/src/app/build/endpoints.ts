import type { PrimaryAddress } from '#base/primary-address.ts';
import { must } from '#base/assert.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import { openEndpointService, type EndpointService } from '#runtime/endpoint-service.ts';
import type { EmbedQuery, ModelCalls } from '#runtime/model-calls.ts';
import type { TracingSettings } from '#runtime/tracing/trace-sampler.ts';
import type { WatchFeed } from '#runtime/watches/watch-feed.ts';
import type { EndpointPool } from '#runtime/sandbox/endpoint-pool.ts';
import { Schedule } from '#tasks/schedule.ts';
import type { ReadState } from '../open-storage.ts';
import { traceExport } from '../telemetry/exported-traces.ts';
import { callObserver, observedFetch } from '../telemetry/observed-calls.ts';
import type { Foundation } from './foundation.ts';
import type { Identity } from './identity.ts';

export interface EndpointArguments {
  readonly store: ReadState['store'];
  readonly jobs: JobRegistry;
  readonly identity: Pick<Identity, 'running' | 'workspace' | 'endpointSecrets'>;
  /** The address of the primary; null on a primary. */
  readonly primaryAddress: PrimaryAddress | null;
  /** Closed by whoever has started it; undefined when one is to be started. */
  readonly pool: EndpointPool | undefined;
  readonly tracing: TracingSettings;
  readonly changes: { readonly watches: WatchFeed };
}

/** Parts that endpoint code asks; as they run endpoints themselves, they are built later. */
export interface EndpointPeers {
  readonly embedQuery: EmbedQuery;
  readonly models: ModelCalls;
}

export interface BuiltEndpoints {
  readonly endpoints: EndpointService;
  /** To be called once, before any code is run. */
  readonly connect: (peers: EndpointPeers) => void;
}

export function buildEndpoints(foundation: Foundation, parts: EndpointArguments): BuiltEndpoints {
  const { telemetry, preview, views } = foundation;
  const { store, jobs, identity, primaryAddress, pool, tracing } = parts;
  const { running, workspace, endpointSecrets: secrets } = identity;
  let connected: EndpointPeers | undefined;
  const peers = (): EndpointPeers => must(connected, 'what endpoint code asks');
  const endpoints = openEndpointService({
    ...foundation,
    storage: store.storage,
    environmentKey: store.environmentKey,
    rowMemoryBytes: store.rowMemoryBytes,
    jobs,
    running,
    watchFeed: parts.changes.watches,
    primaryAddress,
    pool,
    tracing,
    scheduleFault: Schedule.faultOf,
    fetch: observedFetch(fetch, telemetry),
    callObserver: callObserver(telemetry),
    traceExport: traceExport(telemetry),
    onInputsChanged: () => views.changed('recorded-inputs'),
    fetchAllowList: () => (preview === 'closed' ? [] : workspace.current().fetchAllowList),
    secrets,
    embedQuery: (request, signal) => peers().embedQuery(request, signal),
    models: {
      complete: (request, asker) => peers().models.complete(request, asker),
      embed: (request, asker) => peers().models.embed(request, asker),
      runAgent: (request, asker) => peers().models.runAgent(request, asker),
    },
  });
  return { endpoints, connect: (given) => (connected = given) };
}
