/** What a metric is: of what kind, in which unit (UCUM), with which attributes. */
export interface MetricRow {
  readonly kind: 'histogram' | 'up-down-counter' | 'gauge' | 'counter';
  readonly unit: string;
  readonly description: string;
  readonly attributes: readonly string[];
}

/**
 * Every metric that the server tells of itself, by the name that OTLP, the documentation and the
 * dashboard use. Names of the semantic conventions where there are some, `trellis.` before all
 * others. Counters and gauges are read when they are exported.
 */
export const metrics = {
  'http.server.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration of HTTP requests, to the end of the answer.',
    attributes: ['http.request.method', 'http.route', 'http.response.status_code', 'error.type'],
  },
  'http.server.active_requests': {
    kind: 'up-down-counter',
    unit: '{request}',
    description: 'Requests over HTTP that are being answered.',
    attributes: ['http.request.method'],
  },
  'http.client.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration of requests to other servers, to the head of the answer.',
    attributes: ['http.request.method', 'server.address', 'http.response.status_code'],
  },
  'trellis.endpoint.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration of calls of endpoints, nested ones included.',
    attributes: ['trellis.endpoint.name', 'trellis.endpoint.outcome'],
  },
  'trellis.endpoint.calls': {
    kind: 'gauge',
    unit: '{call}',
    description: 'Calls of endpoints by state: running, or waiting for a worker.',
    attributes: ['trellis.endpoint.state'],
  },
  'trellis.endpoint.workers': {
    kind: 'gauge',
    unit: '{worker}',
    description: 'Endpoint workers by state: ready, busy (of those), stalled (of those).',
    attributes: ['trellis.worker.state'],
  },
  'trellis.watches': {
    kind: 'gauge',
    unit: '{watch}',
    description: 'Connections that watch an endpoint.',
    attributes: [],
  },
  'trellis.watch.questions': {
    kind: 'gauge',
    unit: '{question}',
    description: 'Different questions that are watched: an endpoint with a body, as a user.',
    attributes: [],
  },
  'trellis.watch.runs': {
    kind: 'counter',
    unit: '{run}',
    description: 'Runs of endpoints for those who watch them, since the process started.',
    attributes: [],
  },
  'trellis.watch.wakes': {
    kind: 'counter',
    unit: '{wake}',
    description: 'How often a commit has changed what a watched question has read.',
    attributes: [],
  },
  'trellis.webhook.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration of deliveries of webhooks, each attempt by itself.',
    attributes: ['trellis.webhook.outcome'],
  },
  'trellis.document.proposals': {
    kind: 'counter',
    unit: '{proposal}',
    description:
      'What is read out of documents: proposed, dropped, approved, rejected; and nodes that were changed back.',
    attributes: ['trellis.document.outcome'],
  },
  'trellis.connector.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration of runs of connectors.',
    attributes: ['trellis.connector.kind', 'trellis.connector.outcome'],
  },
  'trellis.commit.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration of commits, from the message to the writer to its answer.',
    attributes: ['trellis.commit.outcome'],
  },
  'trellis.commits': {
    kind: 'counter',
    unit: '{commit}',
    description: 'Commits since the process started.',
    attributes: [],
  },
  'trellis.operations': {
    kind: 'counter',
    unit: '{operation}',
    description: 'Operations written, or applied, since the process started.',
    attributes: [],
  },
  'trellis.sequence': {
    kind: 'gauge',
    unit: '{operation}',
    description: 'The sequence that reads reflect.',
    attributes: [],
  },
  'trellis.replica.lag': {
    kind: 'gauge',
    unit: '{operation}',
    description: 'How far each registered replica is behind; told by the primary.',
    attributes: ['trellis.replica.name'],
  },
  'trellis.member.term': {
    kind: 'gauge',
    unit: '{term}',
    description: 'Of a member: the term of the primary that it knows.',
    attributes: [],
  },
  'trellis.member.takeovers': {
    kind: 'counter',
    unit: '{takeover}',
    description: 'How often this member has become the primary since the process started.',
    attributes: [],
  },
  'trellis.member.lag': {
    kind: 'gauge',
    unit: '{operation}',
    description: 'How far each other member is behind; told by the primary.',
    attributes: ['trellis.member.name'],
  },
  'trellis.lease.renewal.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration of renewals of the lease, by what became of them: ok, lost, failed.',
    attributes: ['trellis.lease.outcome'],
  },
  'trellis.jobs': {
    kind: 'gauge',
    unit: '{job}',
    description: 'Jobs that are queued or running, by kind.',
    attributes: ['trellis.job.kind', 'trellis.job.state'],
  },
  'trellis.search.documents': {
    kind: 'gauge',
    unit: '{document}',
    description: 'Documents in the search index.',
    attributes: [],
  },
  'trellis.search.memory': {
    kind: 'gauge',
    unit: 'By',
    description: 'Memory of the search index.',
    attributes: [],
  },
  'trellis.search.lag': {
    kind: 'gauge',
    unit: '{operation}',
    description: 'How far the search index is behind the sequence.',
    attributes: [],
  },
  'trellis.search.texts.waiting': {
    kind: 'gauge',
    unit: '{text}',
    description: 'Texts that wait to be embedded.',
    attributes: [],
  },
  'trellis.model.tokens': {
    kind: 'counter',
    unit: '{token}',
    description: 'Tokens of models used since the process started.',
    attributes: ['gen_ai.token.type'],
  },
  'trellis.model.budget.used': {
    kind: 'gauge',
    unit: '1',
    description:
      'Share of the budgets of this month that is used, by team; of the workspace with an empty name.',
    attributes: ['trellis.team.name'],
  },
  'trellis.health.part': {
    kind: 'gauge',
    unit: '1',
    description: 'Of each part of the server: 1 when it is well (or off, or starting), else 0.',
    attributes: ['trellis.part.name'],
  },
  'trellis.telemetry.failures': {
    kind: 'counter',
    unit: '{export}',
    description: 'Exports of traces or metrics that failed since the process started.',
    attributes: ['trellis.telemetry.signal'],
  },
  'nodejs.eventloop.delay.p50': {
    kind: 'gauge',
    unit: 's',
    description: 'Delay of the event loop of the HTTP thread since the last export, median.',
    attributes: [],
  },
  'nodejs.eventloop.delay.p99': {
    kind: 'gauge',
    unit: 's',
    description: 'The same, 99th percentile.',
    attributes: [],
  },
  'nodejs.eventloop.utilization': {
    kind: 'gauge',
    unit: '1',
    description: 'Share of the time in which the event loop of the HTTP thread was not idle.',
    attributes: [],
  },
  'process.memory.usage': {
    kind: 'gauge',
    unit: 'By',
    description: 'Resident memory of the process.',
    attributes: [],
  },
  'v8js.memory.heap.used': {
    kind: 'gauge',
    unit: 'By',
    description: 'Heap of the HTTP thread in use.',
    attributes: [],
  },
  'trellis.disk.free': {
    kind: 'gauge',
    unit: 'By',
    description: 'Free space on the volume of the storage folder.',
    attributes: [],
  },
  'trellis.disk.total': {
    kind: 'gauge',
    unit: 'By',
    description: 'Size of the volume of the storage folder.',
    attributes: [],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof metrics;

type NameOf<Kind extends MetricRow['kind']> = {
  [Name in MetricName]: (typeof metrics)[Name]['kind'] extends Kind ? Name : never;
}[MetricName];

/** What is recorded as it happens. */
export type RecordedMetric = NameOf<'histogram' | 'up-down-counter'>;
/** What is read when it is exported. */
export type ReadMetric = NameOf<'gauge' | 'counter'>;
