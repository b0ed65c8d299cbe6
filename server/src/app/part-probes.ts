import {
  degraded,
  failed,
  OFF,
  OK,
  type PartState,
  type Probe,
  type Probes,
  STARTING,
} from '#observe/health.ts';
import type { PoolLoad } from '#runtime/sandbox/pool-load.ts';
import type { Services } from './build/services.ts';

/** The services that are probed; a replica has them only once it has its graph. */
type ProbedServices = Pick<
  Services,
  'endpoints' | 'llm' | 'searchConfiguration' | 'indexCondition'
>;

/** Probes of the parts that both roles have. `services` is undefined until they are built. */
export function serviceProbes(services: () => ProbedServices | undefined): Probes {
  const of =
    (probe: (there: ProbedServices) => ReturnType<Probe>): Probe =>
    () => {
      const there = services();
      return there === undefined ? STARTING : probe(there);
    };
  return {
    index: of(({ indexCondition }) => indexCondition()),
    endpoints: of(({ endpoints }) => stateOfWorkers(endpoints.load())),
    compiler: of(({ endpoints }) =>
      endpoints.isCompilerFailing ? degraded('process_failed') : OK,
    ),
    models: of(stateOfModels),
  };
}

/**
 * The probes of a primary; `writer` is what writes, and `areLogsWritten` tells whether the log
 * files take what is logged.
 */
export function primaryProbes(parts: {
  readonly services: Parameters<typeof serviceProbes>[0];
  readonly writer: { readonly isFailing: boolean };
  readonly replication: { readonly condition: Probe };
  readonly areLogsWritten: () => boolean;
}): Probes {
  return {
    ...serviceProbes(parts.services),
    writer: () => (parts.writer.isFailing ? failed('last_write_failed') : OK),
    replication: () => parts.replication.condition(),
    logs: logProbe(parts.areLogsWritten),
  };
}

/** The probes of a replica. */
export function replicaProbes(parts: {
  readonly services: Parameters<typeof serviceProbes>[0];
  readonly isJoined: () => boolean;
  readonly areLogsWritten: () => boolean;
}): Probes {
  return {
    ...serviceProbes(parts.services),
    replication: () => (parts.isJoined() ? OK : degraded('primary_not_connected')),
    logs: logProbe(parts.areLogsWritten),
  };
}

/** `isWritten` tells whether the log files take what is logged. */
function logProbe(isWritten: () => boolean): Probe {
  return () => (isWritten() ? OK : degraded('file_not_written'));
}

/**
 * A worker that ends is followed by another one, unless workers do not start: then there is none
 * before the next call.
 */
export function stateOfWorkers({ wanted, workers, ready, stalled }: PoolLoad): PartState {
  if (wanted === 0) return OK;
  if (workers === 0) return failed('no_worker');
  if (ready === 0) return STARTING;
  return stalled >= ready ? degraded('workers_stalled') : OK;
}

async function stateOfModels({ llm, searchConfiguration }: ProbedServices): Promise<PartState> {
  const { status, further } = await llm.state();
  const { embedder } = await searchConfiguration.indexState();
  const all = [status, ...further.map((one) => one.status)];
  if (all.includes('failing') || embedder?.status === 'waiting')
    return degraded('provider_failing');
  const isOff =
    all.every((one) => one === 'off') && (embedder ?? { status: 'off' }).status === 'off';
  return isOff ? OFF : OK;
}
