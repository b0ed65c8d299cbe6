import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { HealthReport } from '@trellis/contract/shapes/health.ts';
import type { ReplicaHealth } from '@trellis/contract/shapes/replica.ts';
import type { ReadMetric } from '#observe/telemetry/metric-catalogue.ts';
import type { Reading, Telemetry } from '#observe/telemetry/telemetry.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';
import type { Services } from '../build/services.ts';
import type { MemberRole } from '../member/member-role.ts';

export interface MetricSources {
  readonly sequence: AppliedSequence;
  /** Undefined until the services are built. */
  readonly services: () => Services | undefined;
  /** Undefined when this process is no member. */
  readonly member: Pick<MemberRole, 'term' | 'figures'> | undefined;
  readonly status: {
    health(): Promise<HealthReport>;
    readonly replication: () => Promise<ReplicaHealth> | ReplicaHealth;
  };
}

type Readers = Readonly<Record<ReadMetric, () => readonly Reading[] | Promise<readonly Reading[]>>>;

/**
 * Tells, at each export, how the workspace is; disposing ends what is measured for it all the time.
 */
export function readMetrics(telemetry: Telemetry | undefined, sources: MetricSources): Disposable {
  if (telemetry === undefined) return { [Symbol.dispose]: () => undefined };
  const delay = monitorEventLoopDelay();
  delay.enable();
  const ofTelemetry = {
    'trellis.telemetry.failures': () => byState('trellis.telemetry.signal', telemetry.failures()),
  } satisfies Partial<Readers>;
  const readers: Readers = {
    ...ofProcess(delay),
    ...ofTelemetry,
    ...ofWorkspace(sources),
    ...ofServices(sources),
    ...ofMember(sources.member),
  };
  for (const [name, read] of Object.entries(readers)) telemetry.read(name as ReadMetric, read);
  return { [Symbol.dispose]: () => void delay.disable() };
}

function ofProcess(delay: ReturnType<typeof monitorEventLoopDelay>) {
  let before = performance.eventLoopUtilization();
  const percentile = (share: number) => () => one(delay.percentile(share) / 1e9);
  return {
    'nodejs.eventloop.delay.p50': percentile(50),
    'nodejs.eventloop.delay.p99': () => {
      const read = percentile(99)();
      // The last of the two to be read; each export tells of the time since the one before.
      delay.reset();
      return read;
    },
    'nodejs.eventloop.utilization': () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return one(utilization);
    },
    'process.memory.usage': () => one(process.memoryUsage.rss()),
    'v8js.memory.heap.used': () => one(process.memoryUsage().heapUsed),
  } satisfies Partial<Readers>;
}

function ofWorkspace({ sequence, status }: MetricSources) {
  const first = sequence.get();
  const disk = async (member: 'freeBytes' | 'totalBytes') => {
    const report = await status.health();
    return report.disk === null ? [] : one(report.disk[member]);
  };
  return {
    'trellis.sequence': () => one(sequence.get()),
    'trellis.commits': () => one(sequence.commits),
    'trellis.operations': () => one(Math.max(0, sequence.get() - first)),
    'trellis.disk.free': () => disk('freeBytes'),
    'trellis.disk.total': () => disk('totalBytes'),
    'trellis.replica.lag': async () => {
      const health = await status.replication();
      const replicas = 'replicas' in health ? (health.replicas ?? []) : [];
      return replicas.map(({ replicaName, lagVersions }) => ({
        value: lagVersions,
        attributes: { 'trellis.replica.name': replicaName },
      }));
    },
    'trellis.health.part': async () => {
      const { parts } = await status.health();
      return parts.map(({ name, reason }) => ({
        value: reason === null ? 1 : 0,
        attributes: { 'trellis.part.name': name },
      }));
    },
  } satisfies Partial<Readers>;
}

function ofMember(member: MetricSources['member']) {
  return {
    'trellis.member.term': () => (member === undefined ? [] : one(member.term())),
    'trellis.member.takeovers': () => (member === undefined ? [] : one(member.figures().takeovers)),
    'trellis.member.lag': () =>
      (member?.figures().lags ?? []).map(({ name, lag }) => ({
        value: lag,
        attributes: { 'trellis.member.name': name },
      })),
  } satisfies Partial<Readers>;
}

function ofServices({ services, sequence }: MetricSources) {
  const of = (read: (there: Services) => readonly Reading[]) => () => {
    const there = services();
    return there === undefined ? [] : read(there);
  };
  const index = (read: (state: IndexState) => number | null) =>
    of(({ searchConfiguration }) => {
      const value = read(searchConfiguration.indexState());
      return value === null ? [] : one(value);
    });
  return {
    'trellis.endpoint.calls': of(({ endpoints }) => {
      const { running, waiting } = endpoints.load();
      return byState('trellis.endpoint.state', { running, waiting });
    }),
    'trellis.endpoint.workers': of(({ endpoints }) => {
      const { ready, busy, stalled } = endpoints.load();
      return byState('trellis.worker.state', { ready, busy, stalled });
    }),
    'trellis.watches': of(({ endpoints }) => one(endpoints.watches.load.watches)),
    'trellis.watch.questions': of(({ endpoints }) => one(endpoints.watches.load.questions)),
    'trellis.watch.runs': of(({ endpoints }) => one(endpoints.watches.load.runs)),
    'trellis.watch.wakes': of(({ endpoints }) => one(endpoints.watches.load.wakes)),
    'trellis.jobs': of(({ jobs }) => jobReadings(jobs.underWay())),
    'trellis.search.documents': index(({ documents }) => documents),
    'trellis.search.memory': index(({ bytes }) => bytes),
    'trellis.search.lag': index((state) =>
      state.sequence === null ? null : Math.max(0, sequence.get() - state.sequence),
    ),
    'trellis.search.texts.waiting': index(({ texts }) => texts.waiting),
    'trellis.document.proposals': of(({ documents }) =>
      byState('trellis.document.outcome', documents.counts()),
    ),
    'trellis.model.tokens': of(({ modelTokens }) => {
      const { inputTokens: input, outputTokens: output } = modelTokens();
      return byState('gen_ai.token.type', { input, output });
    }),
    'trellis.model.budget.used': of(({ llmBudgets }) =>
      llmBudgets.shares().map(({ name, used }) => ({
        value: used,
        attributes: { 'trellis.team.name': name },
      })),
    ),
  } satisfies Partial<Readers>;
}

type IndexState = ReturnType<Services['searchConfiguration']['indexState']>;

function one(value: number): readonly Reading[] {
  return [{ value }];
}

function byState(name: string, counts: Readonly<Record<string, number>>): readonly Reading[] {
  return Object.entries(counts).map(([state, value]) => ({ value, attributes: { [name]: state } }));
}

function jobReadings(
  jobs: readonly { readonly kind: string; readonly state: string }[],
): readonly Reading[] {
  const groups = Map.groupBy(jobs, ({ kind, state }) => `${kind} ${state}`);
  return [...groups.values()].map((group) => ({
    value: group.length,
    attributes: {
      'trellis.job.kind': group[0]?.kind ?? '',
      'trellis.job.state': group[0]?.state ?? '',
    },
  }));
}
