import { operations as build } from '../../operations/build.ts';
import { operations as endpoints } from '../../operations/endpoints.ts';
import { operations as jobs } from '../../operations/jobs.ts';
import { operations as modules } from '../../operations/modules.ts';
import { operations as tasks } from '../../operations/tasks.ts';
import { operations as triggers } from '../../operations/triggers.ts';
import * as buildShapes from '../../shapes/build.ts';
import * as history from '../../shapes/code-history.ts';
import * as endpoint from '../../shapes/endpoint.ts';
import { endpointLogFilter, endpointLogLine } from '../../shapes/endpoint-log.ts';
import * as work from '../../shapes/endpoint-work.ts';
import * as job from '../../shapes/job.ts';
import * as migration from '../../shapes/migration.ts';
import * as module from '../../shapes/module.ts';
import * as packages from '../../shapes/package.ts';
import * as task from '../../shapes/task.ts';
import { operations as secrets } from '../../operations/secrets.ts';
import * as secret from '../../shapes/secret.ts';
import * as trigger from '../../shapes/trigger.ts';
import { texts } from './property-texts.ts';

const MAY_RUN_ON_PRIMARY =
  'Whether the code that serves names `runOnPrimary`, and so may write by way of another endpoint although it is read-only.';
const VERSION = 'Number of the version: from 1, one more with every change.';

/** Code of endpoints, tasks and migrations, and what runs it. */
export const codeTexts = [
  ...texts(endpoints.getEndpoint.params, {
    name: 'Name of the endpoint, such as `books/by-author`.',
  }),
  ...texts(endpoints.runEndpoint.headers, {
    'msk-endpoint-key': 'Key of a run of mode "pooling" that is under way, from the answer 202.',
    'x-msk-endpoint-key': 'The same as `MSK-ENDPOINT-KEY`, under its older name.',
  }),
  ...texts(endpoint.newEndpoint, {
    name: 'Name of the endpoint: segments joined by "/", each of letters, digits, ".", "_" and "-".',
    code: 'TypeScript module that exports the function to run as its default.',
    isReadOnly: 'Whether the code only reads, so that replicas run it, too; by default not.',
    mode: '`sync` (the default) answers when the run has ended; `pooling` answers 202 at once, and the caller asks again.',
    access: 'Who may run it: every user, or administrators alone.',
    cacheSeconds:
      'Seconds for which an answer is given again to the same caller and body; 0 is never. The answer of a run that wrote is not kept.',
    runAsAdmin: 'Whether the code reads as an administrator, and not as its caller.',
    timeoutMs: 'How long a run may take, in milliseconds.',
    maxConcurrent: 'How many runs there may be at a time on one server; 0 is no limit of its own.',
    maxQueued: 'How many calls may wait for such a run to end; more get `endpoint_overloaded`.',
    description: 'What the endpoint does, for people.',
  }),
  ...texts(endpoint.endpointChange, {
    name: 'Name of the endpoint, the same as in the path; it may be left out.',
    code: 'TypeScript module that exports the function to run as its default.',
    version: 'Version that the caller has seen; `version_conflict` if there is a newer one.',
  }),
  ...texts(endpoint.diagnostic, {
    line: 'Line in the code, from 1.',
    column: 'Column in the line, from 1.',
    code: 'Number of the TypeScript diagnostic; 0 for a rule of the server.',
    message: 'What is wrong, in one sentence.',
  }),
  ...texts(endpoint.endpointDefinition, {
    UID: 'UID of the endpoint.',
    name: 'Name of the endpoint, folders included.',
    code: 'The TypeScript module.',
    version: VERSION,
    mayRunOnPrimary: MAY_RUN_ON_PRIMARY,
  }),
  ...texts(endpoint.endpointDraft, {
    code: 'TypeScript module to compile; it is not saved.',
    isReadOnly: 'Whether it is compiled in the read-only scope; by default not.',
  }),
  ...texts(endpoint.endpointCheckRequest, {
    code: 'TypeScript module to compile; it is not saved.',
    name: 'Name of the endpoint that the code is of: calls of itself are not held against the version that serves.',
    types: 'Whether to answer what the types of the code say, too; by default not.',
  }),
  ...texts(endpoint.endpointCheck, {
    remarks: [
      'Of code that compiles: where a call as a transaction may be another thing than the code expects. They refuse nothing.',
      { severity: '`warning` where it is probably a fault, else `info`.' },
    ],
    notices:
      'Remarks: what the types say that JSON Schema cannot, which is neither checked nor described; and secrets that there are not, or not for this code.',
    input: 'JSON Schema of the body, of code that compiles and does not export `input`.',
    output: 'JSON Schema of what the endpoint answers with the status 200.',
  }),
  ...texts(secrets.putSecret.params, {
    name: 'Name of the secret, as the code of endpoints writes it: capital letters, digits and "_".',
  }),
  ...texts(secret.secretChange, {
    value:
      'The secret itself: one line of printable ASCII. It is given with every change, and never answered.',
    hosts:
      'Hosts that the value is sent to, and no others, such as `api.example.com` or `127.0.0.1:8080`; without a port that of the protocol. Other hosts than the machine itself get it by https alone.',
    endpoints:
      'Names of the endpoints whose code may use it; null, or left out, for the code of all endpoints and migrations.',
  }),
  ...texts(secret.secretRecord, {
    name: 'Name of the secret.',
    hosts: 'Hosts that the value is sent to, and no others.',
    endpoints:
      'Names of the endpoints whose code may use it; null for the code of all endpoints and migrations.',
    changedAt: 'When it was set last (ISO 8601, UTC).',
    changedBy: 'UID of the administrator who set it last; null for a token that acts as nobody.',
    lastUsedAt:
      'When a request of an endpoint on this server had it last (ISO 8601, UTC); null if never. A crash may lose the last minute.',
    isReadable:
      'Whether the server can open the value. If not, the key that signs tokens has become another one: set the secret again.',
  }),
  ...texts(endpointLogLine, {
    sequence: 'Number of the line; it rises from line to line, also over a restart of the server.',
    at: 'When the line was logged (ISO 8601, UTC).',
    endpoint: 'Name of the endpoint that logged it.',
    level: 'How urgent the line is.',
    message: 'What the code logged as text.',
    data: 'What the code gave beside the message.',
    user: 'UID of the caller; null for a token that acts as nobody.',
    run: 'Number of the run; lines of one run have the same.',
  }),
  ...texts(endpointLogFilter, {
    endpoint: 'Name of an endpoint; with "/" at its end all names that begin with it.',
    level: 'The least urgent level to include.',
    query: 'Text to find in the message, or in the data as JSON, in any case.',
    from: 'Includes only lines at or after this time (ISO 8601).',
    to: 'Includes only lines before this time (ISO 8601).',
  }),
  ...texts(build.listEndpointCalls.params, { name: 'Name of the endpoint.' }),
  ...texts(work.draftRun, {
    name: 'Name of the endpoint that the code is run as; its settings hold if there is one.',
    code: 'TypeScript module to compile and run; it is not saved.',
    body: 'JSON that the code is called with; left out for none.',
    profile:
      'Whether to answer a CPU profile of the run; by default not. Its writes are tried then, and thrown away.',
  }),
  ...texts(work.draftOutcome, {
    status: 'HTTP status of the answer, or of the error.',
    body: 'What the code answered; null if it failed, or answered nothing.',
    profile:
      'CPU profile of the run, in the format of `.cpuprofile` files; only if it was asked for, and null if its worker died.',
    error: [
      'Why the run failed; null if it did not.',
      {
        code: 'Code of the error catalogue.',
        message: 'What went wrong, in one sentence for people.',
        hint: 'What to do about it.',
        details: 'More about the error; depends on the code.',
      },
    ],
  }),
  ...texts(work.endpointTypes, {
    input: 'JSON Schema of the body; null if the code says nothing of it.',
    output: 'JSON Schema of the answer with the status 200; null if nothing is known of it.',
  }),
  ...texts(work.endpointCall, {
    at: 'When the run began (ISO 8601, UTC).',
    kind: 'How it was called: by a request (`call`), by another endpoint (`nested`), or as code that was not saved (`draft`).',
    user: 'Who called; null for a token that acts as nobody.',
    status: 'HTTP status of the answer; null if the caller went before there was one.',
    code: 'Code of the error; null if there was none.',
    bytes: 'Size of the answer in bytes.',
    run: 'The `run` of its log lines; null if it logged nothing.',
    traceId: 'Trace id of the request, which the log of the server has, too.',
    trace:
      'Id of the trace of the call, or of the call that it is part of; null if none is kept. See `GET /api/build/call-traces/{id}`.',
  }),
  ...texts(work.endpointCalls, { items: 'The last runs on this server, newest first.' }),
  ...texts(buildShapes.compileStatus, {
    FailingIds: 'UIDs of the code that does not compile.',
    Pending: 'Whether a check in the background has not come to its end: ask again.',
  }),
  ...texts(buildShapes.catalogItem, {
    uid: 'UID of the endpoint, migration or module.',
    kind: 'What the code is.',
    name: 'Whole name, folders included.',
    folder: 'What stands before the last "/" of the name; empty at the root.',
    isReadOnly: 'Whether the code only reads.',
    mayRunOnPrimary: MAY_RUN_ON_PRIMARY,
    isBuiltIn: 'Whether the server brings it along, so that it cannot be changed.',
    updatedBy: 'Who changed it last; null if the server did.',
  }),
  ...texts(buildShapes.catalog, { items: 'All code of the workspace, by name.' }),
  ...texts(buildShapes.typesQuery, {
    scope: 'Which scope to declare: that of endpoints that may write, or of read-only ones.',
  }),
  ...texts(history.codeItemInPath, {
    kind: 'What the code is.',
    name: 'Name of the code, folders included; it may be deleted.',
  }),
  ...texts(history.endpointInHistory, { kind: 'What the code is: always an endpoint.' }),
  ...texts(history.codeChange, {
    uid: 'UID of the endpoint, migration or module; it keeps it when it is deleted and created again.',
    kind: 'What the code is.',
    name: 'Name of the code, folders included.',
    version: VERSION,
    at: 'When it was changed (ISO 8601, UTC).',
    by: 'Who changed it; null if the server did.',
    action: 'What was done.',
    diff: 'Unified diff of settings and code against the version before; a long one is cut off.',
  }),
  ...texts(history.historyQuery, {
    from: 'Lists only changes at or after this time (ISO 8601).',
    to: 'Lists only changes before this time (ISO 8601).',
  }),
  ...texts(history.codeVersion, {
    kind: 'What the code is.',
    version: VERSION,
    code: 'The TypeScript module as it was.',
    settings: 'The settings as they were.',
  }),
  ...texts(history.codeVersionQuery, { version: 'Number of the version, from 1.' }),
  ...texts(history.codeDiffQuery, {
    from: 'Number of the older version; by default the one before `to`.',
    to: 'Number of the newer version; by default the newest.',
  }),
  ...texts(history.codeDiff, {
    uid: 'UID of the endpoint, migration or module.',
    kind: 'What the code is.',
    name: 'Name of the code, folders included.',
    from: 'Number of the older version; 0 if there was nothing before.',
    to: 'Number of the newer version.',
    diff: 'Unified diff: settings as JSON, then the code; empty if nothing differs.',
  }),
  ...texts(history.codeRestore, {
    version: 'Number of the version whose code and settings the new version gets.',
    seen: 'Newest version that the caller has seen; `version_conflict` if there is a newer one.',
  }),
  ...texts(history.codeComparison, {
    version: 'Number of the first version to run.',
    with: 'Number of the second version to run; by default the newest.',
    input: 'Id of a recorded input to call both with.',
    body: 'JSON to call both with, instead of a recorded input.',
  }),
  ...texts(history.inputRecording, {
    keep: 'How many of the last bodies of the endpoint are kept; 0 keeps none, and forgets those that there are.',
  }),
  ...texts(history.recordedInputs, {
    inputs: [
      'The recorded bodies, newest first.',
      {
        id: 'Id of the recorded body.',
        at: 'When the endpoint was called with it (ISO 8601, UTC).',
        body: 'The body as JSON text; empty for none.',
      },
    ],
  }),
  ...texts(history.versionRun, {
    version: 'Number of the version that ran.',
    status: 'HTTP status of the answer; null if the run failed.',
    body: 'What it answered; null if it failed, or answered nothing.',
    error: 'Why the run failed; null if it did not.',
  }),
  ...texts(history.codeComparisonResult, {
    isEqual: 'Whether both answered the same, or failed with the same code and message.',
    runs: 'How each version ran, in the order of the request.',
  }),
  ...texts(modules.getModule.params, { name: 'Name of the module, such as `prices`.' }),
  ...texts(module.newModule, {
    name: 'Name of the module: code imports `prices` as `#lib/prices.ts`. Segments joined by "/", each of letters, digits, ".", "_" and "-".',
    code: 'TypeScript module that exports what others import from it.',
  }),
  ...texts(module.moduleChange, {
    code: 'TypeScript module that exports what others import from it.',
    version: 'Version that the caller has seen; `version_conflict` if there is a newer one.',
  }),
  ...texts(module.moduleDefinition, {
    UID: 'UID of the module.',
    name: 'Name of the module, folders included.',
    code: 'The TypeScript module.',
    version: VERSION,
    compiles: 'Whether the code compiles; if not, it is a draft, and an older version is imported.',
    usedBy: 'The code that imports the module itself.',
  }),
  ...texts(packages.packageSummary, {
    specifier: 'What code imports: `date-fns`, or a path in a package such as `csv-parse/sync`.',
    package: 'Name of the package.',
    version: 'Version of the package, as the lock file has it.',
    license: 'License that the package names.',
    codeBytes: 'Size of its bundled code, with everything that it imports.',
    typesBytes: 'Size of its declaration files.',
    revision: 'Starts at 1 and rises by 1 with every change.',
    usedBy: 'The code that imports the package itself.',
  }),
  ...texts(module.moduleUser, {
    kind: 'What the code is.',
    name: 'Name of the code, folders included.',
    compiles: 'Whether it compiles with what it imports now.',
  }),
  ...texts(module.moduleCheckRequest, {
    code: 'TypeScript module to compile; it is not saved.',
    name: 'Name of the module that the code is of, so that a circle of imports is found.',
  }),
  ...texts(migration.migrationInPath, { name: 'Name of the migration.' }),
  ...texts(migration.migration, {
    UID: 'UID of the migration.',
    name: 'Name of the migration; migrations run in the order of their names.',
    runOnStartup: 'Whether a start of the primary runs it, if it has not run yet.',
    code: 'TypeScript module like that of an endpoint that may write.',
    status: 'Whether it has run, and how that ended; `interrupted` if the server ended first.',
    version: VERSION,
    ranVersion: 'Version of the code that ran last; null before the first run.',
    jobId: 'Id of the job of the last run; null before the first run.',
    startedAt: 'When the last run began (ISO 8601, UTC); null before the first run.',
    endedAt: 'When the last run ended (ISO 8601, UTC); null before that.',
    error: 'Why the last run failed; null if it did not.',
    log: 'The last lines that the last run logged, oldest first.',
  }),
  ...texts(migration.migrationOptions, {
    runOnStartup: 'Whether a start of the primary runs it, if it has not run yet.',
  }),
  ...texts(migration.migrationChange, {
    runOnStartup: 'Whether a start of the primary runs it, if it has not run yet.',
    code: 'TypeScript module like that of an endpoint that may write.',
  }),
  ...texts(migration.newMigration, {
    code: 'TypeScript module like that of an endpoint that may write.',
    name: 'Name of the migration; migrations run in the order of their names.',
    runOnStartup: 'Whether a start of the primary runs it, if it has not run yet; by default not.',
  }),
  ...texts(migration.migrationChoice, {
    name: 'Name of the migration; left out, all that it applies to.',
  }),
  ...texts(migration.resetMigrations, {
    reset: 'Names of the migrations that are pending again.',
  }),
  ...texts(migration.migrationDryRun, {
    name: 'Name of the migration.',
    version: 'Version of the code that was tried.',
    outcome:
      'How the trial ended: `timed_out` after 30 seconds, `too_large` if it writes more than is kept for a trial.',
    error: 'Why the trial failed; null if it did not.',
    nodes: [
      'How many nodes it would change, by type; a node that is written several times counts once.',
      {
        type: 'Name of the type.',
        created: 'How many it would create.',
        changed: 'How many it would change.',
        deleted: 'How many it would delete.',
      },
    ],
    edges: [
      'How many edges it would change, by type; an inverse edge counts as one of its own type.',
      {
        type: 'Name of the type.',
        created: 'How many it would create.',
        changed: 'How many it would change.',
        deleted: 'How many it would delete.',
      },
    ],
    log: 'The last lines that the trial logged, oldest first.',
    tookMs: 'How long the trial took, in milliseconds.',
  }),
  ...texts(task.taskInPath, { name: 'Name of the task.' }),
  ...texts(task.task, {
    UID: 'UID of the task.',
    name: 'Name of the task.',
    isInCode: 'Whether a line `// trellis: cron` in the code of its endpoint makes the task.',
    cron: 'When it runs: a cron expression of five fields, of six with seconds first, or `@daily` and the like.',
    timeZone: 'Time zone that the schedule is in, such as `Europe/Berlin`.',
    endpoint: 'Name of the endpoint that it runs; null if it runs what is built in.',
    builtIn: 'Name of the built-in work that it runs; null if it runs an endpoint.',
    body: 'JSON that the endpoint is called with; null for nothing.',
    actingUser: 'UID of the user whom the endpoint runs as; null for the system.',
    enabled: 'Whether it runs by its schedule.',
    whenMissed: 'What becomes of a run that was due while the server was down.',
    description: 'The schedule in words.',
    nextRunAt: 'When it runs next (ISO 8601, UTC); null if it is not enabled.',
    nextRunAts: 'The next times at which it runs (ISO 8601, UTC); empty if it is not enabled.',
    jobId: 'Id of the job of the run that is under way; null if none is.',
    lastRun: 'The last run; null before the first.',
  }),
  ...texts(task.newTask, { name: 'Name of the new task; no other task may have it.' }),
  ...texts(task.taskRun, {
    id: 'Id of the job, as long as that is kept.',
    task: 'Name of the task.',
    state:
      'How it ended: `skipped` if it was due while the one before was under way, or the server down; `interrupted` if the server ended first.',
    trigger:
      'Why it ran: by its schedule, made up for at a start (`missed`), or by request (`manual`).',
    dueAt: 'When it was due (ISO 8601, UTC); null for a run that somebody asked for.',
    result: 'The beginning of the JSON text of what came of it; null if nothing did.',
    error: 'Why it failed; null if it did not.',
    log: 'The last lines that it logged, oldest first.',
    times: 'How many times in a row it was skipped; 1 for what was not skipped.',
  }),
  ...texts(task.builtInTask, {
    name: 'Name to give as `builtIn` of a task.',
    description: 'What it does, for people.',
  }),
  ...texts(tasks.listBuiltInTasks.responses[200].body, {
    items: 'What the server brings along, by name.',
  }),
  ...texts(triggers.listTriggers.responses[200].body, {
    items: 'The endpoints that changes run, by name.',
  }),
  ...texts(trigger.trigger, {
    endpoint: 'Name of the endpoint that runs.',
    lines: [
      'What runs it, as the lines of its code say.',
      { event: 'What happens to a node.', type: 'Type of the node.' },
    ],
    isPaused: 'Whether changes wait, and run nothing.',
    reason: 'Why the server paused it; null if somebody did, or if it is not paused.',
    position: 'Sequence up to which every change has run, or is set aside.',
    waiting: 'Changes that are read and have not run to their end.',
    setAside: 'Changes that are set aside.',
    runs: 'Runs since the server started, those that failed included.',
    failures: 'Runs that failed since the server started.',
    lastRunAt: 'When the last run ended (ISO 8601, UTC); null before the first since the start.',
    lastError: [
      'Why the last run failed; null if it did not.',
      { code: 'Code of the error.', message: 'What was wrong, for people.' },
    ],
    missed: [
      'Changes that have run nothing, because the log was not kept long enough; null if there are none.',
      {
        from: 'First sequence that the log lacked.',
        to: 'Last sequence that the log lacked.',
        at: 'When that was found (ISO 8601, UTC).',
      },
    ],
  }),
  ...texts(trigger.triggerName, { endpoint: 'Name of the endpoint.' }),
  ...texts(trigger.setAsideQuery, { endpoint: 'Name of an endpoint; all if it is absent.' }),
  ...texts(trigger.setAsideInPath, { id: 'Id of the change, from the list.' }),
  ...texts(trigger.setAsideEvent, {
    id: 'Id of the change.',
    endpoint: 'Name of the endpoint that failed.',
    event: 'What happened to the node.',
    type: 'Type of the node.',
    uid: 'UID of the node.',
    key: 'Key of the node; null if it has none.',
    sequence: 'Sequence of the commit that changed it.',
    at: 'When it was changed (ISO 8601, UTC).',
    setAsideAt: 'When it was set aside (ISO 8601, UTC).',
    attempts: 'How often the endpoint has run for it.',
    error: [
      'Why the last try failed.',
      { code: 'Code of the error.', message: 'What was wrong, for people.' },
    ],
  }),
  ...texts(trigger.triggerRetry, {
    succeeded: 'Whether the run went well; the change is not set aside any more then.',
    error: [
      'Why the run failed; null if it did not.',
      { code: 'Code of the error.', message: 'What was wrong, for people.' },
    ],
  }),
  ...texts(jobs.getJob.params, { id: 'Id of the job.' }),
  ...texts(job.job, {
    id: 'Id of the job.',
    kind: 'What work it is.',
    state:
      'How far it is, or how it ended; `interrupted` if the process ended before the work did.',
    progress: 'Share of the work that is done, from 0 to 1; it never goes back.',
    step: 'What is done now, or was done last, for people.',
    waitingFor: 'What it waits for; absent if it waits for nothing.',
    isCancellable: 'Whether it can be asked to end before its work is done.',
    endedAt: 'When it ended (ISO 8601, UTC); null while it goes on.',
    error: 'Why it failed; absent if it did not.',
  }),
  ...texts(job.jobWithLog, {
    kind: 'What work it is.',
    state:
      'How far it is, or how it ended; `interrupted` if the process ended before the work did.',
    log: 'The last lines of its log, oldest first.',
  }),
  ...texts(job.jobQuery, {
    state: 'Lists only jobs in this state.',
    kind: 'Lists only jobs of this kind.',
  }),
];
