import { operations as deployments } from '../../operations/deployments.ts';
import * as deployment from '../../shapes/deployment.ts';
import { errorBody, routerErrorBody } from '../../errors.ts';
import { operations as backups } from '../../operations/backups.ts';
import * as backup from '../../shapes/backup.ts';
import * as health from '../../shapes/health.ts';
import * as interfaces from '../../shapes/interface.ts';
import { eventStreamHeaders, pageQuery } from '../../shapes/list.ts';
import * as log from '../../shapes/log.ts';
import * as member from '../../shapes/member.ts';
import * as replica from '../../shapes/replica.ts';
import * as stats from '../../shapes/stats.ts';
import * as workspace from '../../shapes/workspace.ts';
import { texts } from './property-texts.ts';

const FROM = 'Includes only records at or after this time (ISO 8601); by default from the oldest.';
const TO = 'Includes only records before this time (ISO 8601); by default until now.';
const LAG = 'Operations of the log that replicas are behind';
const SEQUENCE = 'Sequence that the counts reflect: one commit.';

/** The server and the workspace: settings, health, load, logs, backups, replicas. */
export const serverTexts = [
  ...texts(errorBody, {
    error: [
      'What went wrong.',
      {
        code: 'Code of the error catalogue; it never changes, so that programs branch on it.',
        message: 'What is wrong and where, in one sentence for people.',
        hint: 'What to do about it.',
        details: 'More about the error; depends on the code.',
      },
    ],
    traceId: 'Names this request in the log of the server; the same as `X-Request-Id`.',
  }),
  ...texts(routerErrorBody, {
    type: 'Always `error`, as clients of Anthropic expect it.',
    error: [
      'What went wrong.',
      { type: 'Kind of error, as clients of OpenAI and Anthropic expect it.' },
    ],
  }),
  ...texts(pageQuery, {
    skip: 'How many entries to pass over.',
    take: 'How many entries to answer at most.',
  }),
  ...texts(eventStreamHeaders, {
    'last-event-id': 'Id of the last event that is known already: the stream goes on after it.',
  }),
  ...texts(workspace.workspaceSettings, {
    name: 'Name of the workspace, for people.',
    teamsEnabled: 'Whether others than administrators may create and change teams.',
    ReplicaURLs:
      'Further servers to read from, beside registered replicas: URLs with ";" between them.',
    fetchAllowList:
      'Origins that the code of endpoints may reach with `fetch`, such as `https://api.example.com`; empty for none.',
    interface:
      'Name of the custom interface that is served at the root; null for the built-in one.',
  }),
  ...texts(workspace.apiDocument, {
    openapi: 'Version of OpenAPI.',
    info: [
      'What the document is about.',
      { title: 'Name of the product.', version: 'Version of the server.' },
    ],
    paths: 'Operations by path and method.',
    components: 'Shapes, parameters, answers and security schemes that paths refer to.',
  }),
  ...texts(workspace.licenseReport, {
    licensed: 'Whether the server was started with a license (`MSK_LICENSE`).',
    subject: 'Whom the license was issued to; absent without one that is signed.',
    features: 'What the license allows; empty without one that is signed.',
    expiresAt: 'When the license ends (ISO 8601, UTC); absent without one that is signed.',
    valid: 'Whether the license is good now.',
    reason: 'Why the license is not good; absent if it is.',
  }),
  ...texts(interfaces.interfaceInPath, { name: 'Name of the custom interface.' }),
  ...texts(interfaces.interfaceRecord, {
    name: 'Name of the interface.',
    digest: 'SHA-256 over its files, hexadecimal: the same files have the same one.',
    files: 'How many files it has.',
    bytes: 'Bytes of its files together.',
    uploadedAt: 'When it was uploaded (ISO 8601, UTC).',
    uploadedBy: 'Who uploaded it; null if a token did.',
    chosen: 'Whether it is what the workspace serves at its root.',
  }),
  ...texts(health.healthReport, {
    status: '`starting` while it is not ready; `degraded` if it answers but a part is not well.',
    ready: 'Whether the graph is loaded and requests are answered.',
    uptimeSeconds: 'Seconds since the process started.',
    version: 'Version of the server.',
    role: 'Whether the server is the primary or a replica.',
    memory: [
      'Memory of the process.',
      {
        status: 'Whether there is enough; `failed` if that cannot be told.',
        rssBytes: 'Resident memory in bytes.',
        heapUsedBytes: 'Bytes of the JavaScript heap that are in use.',
        heapTotalBytes: 'Bytes of the JavaScript heap.',
        externalBytes: 'Bytes outside of the heap that JavaScript objects hold.',
      },
    ],
    disk: [
      'The file system of the storage folder; null if it cannot be read.',
      {
        status: 'Whether there is enough; `failed` if that cannot be told.',
        totalBytes: 'Size of the file system in bytes.',
        freeBytes: 'Bytes of the file system that are free.',
      },
    ],
    parts: 'The parts that a server of this role has.',
  }),
  ...texts(health.healthSummary, {
    memory: ['Memory of the process.', { status: 'Whether there is enough of it.' }],
    disk: ['The file system of the storage folder.', { status: 'Whether there is enough of it.' }],
  }),
  ...texts(health.partHealth, {
    name: 'Name of the part.',
    status:
      'How the part is: `degraded` if it does not work as it should, `failed` if it does not work, `off` if it is not set up.',
    reason: 'Why the part is degraded or failed; null for any other part.',
  }),
  ...texts(stats.endpointMetrics, {
    name: 'Name of the endpoint.',
    calls: 'How many calls have ended since the server started.',
    errors: 'How many of them ended with a status from 500 up.',
    errorRate: 'Share of calls that are errors, from 0 to 1; 0 without calls.',
    averageMs: 'Mean time of a call in milliseconds; null without calls.',
    p50Ms: 'Median time of a call in milliseconds, within 5 %; null without calls.',
    p95Ms: 'Time in milliseconds that 95 % of calls take at most, within 5 %; null without calls.',
    p99Ms: 'Time in milliseconds that 99 % of calls take at most, within 5 %; null without calls.',
    lastCalledAt: 'When it was called last (ISO 8601, UTC); null without calls.',
    scans: [
      'Queries that read over 100,000 nodes for want of an index.',
      {
        type: 'Name of the type.',
        field: 'Name of the field that an index would be of.',
        rowsRead: 'How many nodes were read, over all calls.',
        calls: 'How many calls read them.',
      },
    ],
  }),
  ...texts(stats.endpointMetricsList, { items: 'Counts of each endpoint that was called.' }),
  ...texts(stats.loadSample, {
    at: 'When the sample was taken (ISO 8601, UTC).',
    commitsPerSecond: 'Commits in a second, since the sample before; on a replica those applied.',
    operationsPerSecond: 'Operations of commits in a second, since the sample before.',
    callsPerSecond: 'Calls of endpoints that ended in a second, since the sample before.',
    rssBytes: 'Resident memory of the process in bytes.',
    diskFreeBytes: 'Free bytes where the storage folder is; null if they cannot be read.',
    currentLag: `${LAG}, the furthest one now; only on a primary that replicates.`,
    averageLag: `${LAG}, the mean of the last 240 samples; only on a primary that replicates.`,
    emaLag: `${LAG}, as an exponential moving average; only on a primary that replicates.`,
  }),
  ...texts(stats.overviewStatistics, {
    nodes: "How many nodes there are, those of the server's own types included.",
    edges: "How many edges there are, those of the server's own types included.",
    sequence: SEQUENCE,
    types: [
      'How many nodes each type has, the largest first.',
      { type: 'Name of the type.', nodes: 'How many nodes it has.' },
    ],
    edgeTypes: [
      'How many edges each type has, the largest first.',
      { type: 'Name of the edge type.', edges: 'How many edges it has.' },
    ],
    sampleIntervalMs: 'Milliseconds from one sample to the next.',
    samples: 'Samples of the last hour, oldest first; empty right after a start.',
  }),
  ...texts(stats.relationStatistics, {
    sequence: SEQUENCE,
    countedAt: 'When the edges were counted (ISO 8601, UTC).',
    edges: 'How many edges there are; an inverse edge counts as one of its own type.',
    counted: 'How many edges were counted: at most the first 20 million.',
    relations: [
      'How many edges there are by their type and the types at both ends.',
      {
        from: 'Type of the node that the edges begin at.',
        edge: 'Name of the edge type.',
        to: 'Type of the node that the edges lead to.',
        edges: 'How many such edges there are.',
      },
    ],
  }),
  ...texts(log.logRecord, {
    at: 'When it was logged (ISO 8601, UTC).',
    level: 'How urgent the record is.',
    origin: 'What part of the server logged it.',
    message: 'What was logged as text.',
    fields: 'What was logged beside the message, by name.',
  }),
  ...texts(log.liveLogRecord, {
    level: 'How urgent the record is.',
    origin: 'What part of the server logged it.',
    sequence: 'Number of the record; it rises, also over a restart of the server.',
  }),
  ...texts(log.logFilter, {
    query: 'Text to find in the record as JSON, in any case.',
    level: 'The least urgent level to include.',
    from: FROM,
    to: TO,
    origin: 'Includes only what this part of the server logged.',
    endpoint: 'Name of an endpoint; with "/" at its end all names that begin with it.',
    job: 'Id of a job: includes only what it logged.',
    traceId: 'Trace id of one request: `traceId` of its error, or its header `X-Request-Id`.',
  }),
  ...texts(log.logQuery, {
    cursor: '`nextCursor` of the page before: only older records are looked at.',
  }),
  ...texts(log.logPage, {
    source: 'Whether log files were read (`MSK_LOG_PATH` is set), or the last records in memory.',
    isComplete: 'Whether everything was looked at before the time of the search ran out.',
    nextCursor: 'Where to go on; null if everything was looked at.',
  }),
  ...texts(log.logCountsQuery, {
    spans: 'Into how many spans of the same length the time is divided.',
  }),
  ...texts(log.logCounts, {
    from: 'When the first span begins (ISO 8601, UTC).',
    to: 'When the last span ends (ISO 8601, UTC).',
    spanMs: 'Length of a span in milliseconds; the last one may be shorter.',
    isComplete: 'Whether everything was counted before the time ran out.',
    countedFrom: 'Records before this time were not counted (ISO 8601, UTC).',
    spans: [
      'Spans, oldest first.',
      {
        at: 'When the span begins (ISO 8601, UTC).',
        counts: [
          'How many records it has, by level.',
          {
            trace: 'Records of level `trace`.',
            debug: 'Records of level `debug`.',
            info: 'Records of level `info`.',
            warn: 'Records of level `warn`.',
            error: 'Records of level `error`.',
            fatal: 'Records of level `fatal`.',
          },
        ],
      },
    ],
  }),
  ...texts(log.logFileList, {
    items: [
      'Log files, newest first.',
      {
        name: 'Name of the file, as `fileNames` takes it.',
        sizeBytes: 'Size of the file in bytes.',
        from: 'When its first record was logged (ISO 8601, UTC); null if it has none.',
        to: 'When its last record was logged (ISO 8601, UTC); null if it has none.',
      },
    ],
  }),
  ...texts(log.logDownloadQuery, {
    fileNames: 'Names of the files to search, as the list of files has them; by default all.',
  }),
  ...texts(backups.verifyBackup.params, { id: 'Id of the backup.' }),
  ...texts(backups.deleteBackup.params, { id: 'Id of the backup.' }),
  ...texts(backup.backup, {
    id: 'Id of the backup.',
    createdAt: 'When the workspace was as the backup has it (ISO 8601, UTC).',
    completedAt: 'When the backup was complete (ISO 8601, UTC).',
    sequence: 'Sequence of the last commit in it.',
    epoch: 'Epoch of the history that the sequence belongs to: a restore begins a new one.',
    version: 'Version of the server that made it.',
    isEncrypted: 'Whether it is encrypted with the key of the workspace.',
    nodes: 'How many nodes it has.',
    edges: 'How many edges it has.',
    bytes: 'Bytes of all that it consists of, before encryption.',
    newBytes: 'Bytes among them that no earlier backup had.',
    hasLog: 'Whether points between the backup before and this one can be restored.',
  }),
  ...texts(backup.backupList, {
    target: 'Where backups are kept; null if the server has no place for them.',
  }),
  ...texts(member.memberOverview, {
    term: 'How often the lease has been taken.',
    primary: 'Name of the member that is the primary; null while there is none.',
    members: [
      'The members, by name.',
      {
        name: 'Name of the member.',
        address: 'URL at which people reach it.',
        role: 'Whether it is the primary.',
        appliedSequence: 'Sequence that its state had when it was last seen.',
        lagVersions: 'Operations of the log that it was behind then.',
        lastSeenAt: 'When it was last heard of (ISO 8601, UTC).',
        version: 'Version that it runs.',
      },
    ],
    log: [
      'The log that they share.',
      {
        engine: 'What holds it.',
        firstSequence: 'The oldest sequence that it still has.',
        lastSequence: 'The newest sequence that it has; 0 while it is empty.',
        bytes: 'Bytes that its tables take.',
        synchronous: 'Whether PostgreSQL waits for a standby with each commit.',
      },
    ],
    takeovers: [
      'When members became the primary: the newest 100, the newest first.',
      {
        term: 'The term that began.',
        member: 'Name of the member that became the primary.',
        at: 'When it did (ISO 8601, UTC).',
      },
    ],
  }),
  ...texts(replica.registeredReplica, {
    replicaUID: 'UID of the replica, new at each of its starts.',
    replicaName: 'Name of the replica, for people.',
    lagVersions: 'Operations of the log that it was behind at its last report.',
  }),
  ...texts(replica.replicaHealth, {
    isReplica: 'Whether this server is a replica.',
    hasReplicas: 'Whether this server has replicas.',
    replicaUID: 'UID of this replica.',
    replicaName: 'Name of this replica, for people.',
    currentLag: `${LAG}: the furthest one now.`,
    averageLag: `${LAG}: the mean of the last 240 samples.`,
    emaLag: `${LAG}: a moving average over 5 seconds.`,
    recommendedDelayMs:
      'Milliseconds that writers would wait for replicas to catch up; 0 while they keep up. The server delays nobody.',
    replicas: 'The registered replicas.',
  }),
  ...texts(replica.replicaRole, {
    isReplica: 'Whether this server is a replica.',
    hasReplicas: 'Whether this server has replicas.',
    replicaUID: 'UID of this replica.',
    replicaName: 'Name of this replica, for people.',
  }),
  ...texts(replica.replicaRecord, {
    publicAddress: 'Address at which people reach the replica.',
    serverAddress: 'Address at which the primary reaches the replica.',
    version: 'Version of the replica; null until it has opened the channel.',
    registeredAt: 'When it registered (ISO 8601, UTC).',
    reportedAt: 'When it reported last (ISO 8601, UTC); null before the first report.',
    appliedSequence: 'Sequence that it has applied, as it reported last.',
  }),
  ...texts(replica.replicaOverview, {
    version: 'Version of the primary.',
    epoch: 'Epoch of the log of the primary.',
    sequence: 'Newest sequence of the log of the primary.',
    replicas: 'The replicas, in the order in which they registered.',
  }),
  ...texts(replica.stateDifference, {
    database: 'Name of the database of the state that differs.',
    piecesOnPrimary: 'Runs of entries, of about 4 MiB, that only the primary has.',
    piecesOnReplica: 'Runs of entries, of about 4 MiB, that only the replica has.',
    firstKey: 'First key that differs, hexadecimal.',
  }),
  ...texts(replica.replicaVerification, {
    epoch: 'Epoch of the log.',
    sequence: 'Sequence at which all states were compared.',
    isEqual: 'Whether every replica answered, and none differs.',
    replicas: [
      'How each replica compares.',
      {
        replicaUID: 'UID of the replica.',
        replicaName: 'Name of the replica, for people.',
        state: 'Whether it is the same; `unknown` if it did not answer in time.',
        differences: 'In what it differs; empty if in nothing.',
      },
    ],
  }),
  ...texts(replica.replicaRegistration, {
    replicaUID: 'UID of the replica, new at each of its starts.',
    publicAddress: 'Address at which people reach the replica.',
    serverAddress: 'Address at which the primary reaches the replica.',
    epoch: 'Epoch of the history that the replica has already; empty for none.',
    sequence: 'Sequence that the replica has already.',
    version: 'Version of the replica.',
    masterKeyProof:
      'HMAC-SHA256 over its master key, or over nothing, under the replication secret, hexadecimal.',
    time: 'Time of the request, in milliseconds since 1970 (UTC); not long ago.',
    nonce: '32 random bytes, hexadecimal, for the proof of the primary.',
    proof: 'HMAC-SHA256 over the other members under the replication secret, hexadecimal.',
  }),
  ...texts(replica.replicaAdmission, {
    replicaName: 'Name that the replica has from now on.',
    replicationPort: 'Port of the channel, on the host that was asked.',
    version: 'Version of the primary.',
    proof: 'HMAC-SHA256 over the nonce under the replication secret, hexadecimal.',
  }),
  ...texts(deployments.getDeployment.params, { id: 'Id of the deployment.' }),
  ...texts(deployment.usedToken, { id: 'Id of the token.', name: 'Name of the token.' }),
  ...texts(deployment.deployedChange, {
    kind: 'What the definition is.',
    name: 'Name of the definition.',
    action: 'What was done with it.',
  }),
  ...texts(deployment.deploymentDetails, {
    id: 'Id of the deployment.',
    at: 'When it was made.',
    cause:
      'An import, a rollback, or `found`: what was changed by other means before one of these.',
    of: 'Id of the deployment that a rollback brought back; null if it is no rollback.',
    by: 'Who made it; null if a token did that acts as nobody, and of what was found.',
    token: 'The token that it was made with; null if a signed-in user made it.',
    digest: 'SHA-256 of the files of all definitions; equal states have equal digests.',
    mirror: 'Whether definitions that were not given were deleted.',
    totals: 'How many definitions by what was done with them.',
    changes: 'What was created, changed or deleted; the first of them.',
  }),
];
