import { USUAL_TRACING } from '#runtime/tracing/trace-sampler.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IngestPort } from '#access/ingest-service.ts';
import { auditInMemory } from '#access/testing/audit-in-memory.ts';
import { systemClock } from '#base/clock.ts';
import type { GraphWriter } from '#graph/graph-writer.ts';
import { NdjsonIngest } from '#graph/ndjson-ingest.ts';
import type { GraphReader } from '#graph/reader.ts';
import { LargeCommits } from '#graph/large-commits.ts';
import type { CommitPort } from '#graph/operations.ts';
import { hashPassword } from '#identity/passwords.ts';
import { userKey } from '#access/user-names.ts';
import { userUid } from '#identity/users.ts';
import { writeCredential } from '#identity/vault.ts';
import { Followers } from '#log/followers.ts';
import { type Logger, openLog } from '#observe/logger.ts';
import { LogHistory } from '#observe/logs/log-history.ts';
import { enterEmptyFolder } from '#runtime/testing/test-endpoints.ts';
import { buildJobs, type Foundation } from '../build/foundation.ts';
import { buildServices, type Services } from '../build/services.ts';
import { PublicAddress } from '../build/identity.ts';
import { DiskRoots } from '../connectors/disk-roots.ts';
import { ROW_MEMORY_DEFAULT_BYTES } from '#graph/rows/packed-rows.ts';
import { openReadState, type ReadState } from '../open-storage.ts';
import { ChangeThread } from '../changes/change-thread.ts';
import { IndexThread } from '../search/index-thread.ts';
import { openWriter } from '../writer/open-writer.ts';

export const TEST_PASSWORD = 'correct horse battery';

/** The users of a test workspace, by name. */
const USERS = {
  admin: { IsAdmin: true },
  'read-only-admin': { IsReadOnlyAdmin: true },
  user: {},
  guest: { IsGuest: true },
} as const;

/** The tokens that belong to no session, by name. */
const TOKENS = {
  'ingestion-token': { kind: 'api', scopes: ['ingestion'] },
  'run-token': { kind: 'api', scopes: ['endpoints:run'] },
  'scim-token': { kind: 'api', scopes: ['admin:scim'] },
  'endpoint-token': { kind: 'endpoint', path: 'words/' },
  'llm-openai-token': { kind: 'llm-openai', actingUser: userUid('user') },
  'llm-anthropic-token': { kind: 'llm-anthropic', actingUser: userUid('user') },
} as const;

export type UserName = keyof typeof USERS;
export type CallerName = UserName | keyof typeof TOKENS;

/**
 * All that HTTP offers of the graph, over a workspace in a temporary folder that is written in this
 * thread.
 */
export interface TestParts extends AsyncDisposable {
  readonly services: Services;
  readonly commits: CommitPort;
  readonly sequence: Followers['applied'];
  readonly storage: string;
  /** A session that begins now for each user, and the other tokens. */
  signIn(): Readonly<Record<CallerName, string>>;
}

export async function openTestParts(): Promise<TestParts> {
  await using opened = new AsyncDisposableStack();
  const storage = await mkdtemp(join(tmpdir(), 'trellis-parts-'));
  opened.defer(() => rm(storage, { recursive: true, force: true }));
  opened.use(enterEmptyFolder());
  const followers = Followers.awaiting(['text index', 'vector index', 'backups']);
  const written = { storage, masterKey: null, lowMemory: false, followers };
  const { graph } = opened.use(await openWriter(written, () => undefined));
  const reading = { storage, masterKey: null, rowMemoryBytes: ROW_MEMORY_DEFAULT_BYTES };
  const state = opened.use(openReadState(reading, followers.applied));
  const changes = opened.use(new ChangeThread({ storage, masterKey: null }, followers));
  const logger = openTestLog();
  const settings = { storage, masterKey: null, followers: followers.buffer };
  const indexed = { ...settings, memoryBytesMax: 64 * 1024 * 1024, buildThreads: 1 };
  const index = opened.use(new IndexThread(indexed, logger));
  const parts = { followers, state, graph, changes, logger, index };
  const services = opened.use(await buildTestServices(parts));
  // Threads that start take time from the first tests, of which some look at the clock.
  await Promise.all([services.endpoints.prepare(), services.indexOpened()]);
  await addUsers(graph);
  const tokens = await mintTokens(services);
  const resources = opened.move();
  return {
    services,
    commits: graph,
    sequence: followers.applied,
    storage,
    signIn: () => ({ ...sessionsOf(services), ...tokens }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

interface StatePart {
  readonly followers: Followers;
  readonly state: ReadState;
  readonly graph: GraphWriter;
  readonly changes: ChangeThread;
  readonly logger: Logger;
  readonly index: IndexThread;
}

function openTestLog(): Logger {
  return openLog({
    level: 'error',
    folder: null,
    name: 'parts',
    secrets: [],
    clock: systemClock,
    stderr: process.stderr,
  }).logger;
}

function buildTestServices(parts: StatePart): Promise<Services> {
  const { followers, state, graph, changes, logger, index } = parts;
  const { reader, vault, store } = state;
  const writes = writesOf(graph, reader);
  const foundation: Foundation = {
    reader,
    vault,
    commits: writes,
    // Nothing is written but what a test asks for: the sequence stands still meanwhile.
    audit: auditInMemory(),
    logger,
    clock: systemClock,
    redact: (json) => json,
    views: { changed: () => undefined },
    telemetry: undefined,
    isReplica: false,
    preview: null,
  };
  return buildServices(foundation, {
    store,
    sequence: followers.applied,
    ingest: writes,
    jobs: buildJobs(foundation),
    index,
    pool: undefined,
    tracing: USUAL_TRACING,
    signingKey: 'a key that signs the tokens of tests',
    address: new PublicAddress('https://trellis.example'),
    primaryAddress: null,
    smtpUrl: null,
    takesOAuthRegistrations: true,
    disk: new DiskRoots({ roots: [], own: [] }),
    askPrimary: undefined,
    replicaLag: () => Promise.resolve(undefined),
    license: { report: () => ({ licensed: false, features: [], valid: false }) },
    logs: new LogHistory({ clock: systemClock, files: undefined }),
    changes,
    builtInTasks: [],
    onIndexChanged: () => undefined,
    onFrontEndChanged: () => Promise.resolve(),
  });
}

/** As the client of the writer thread, it moves the reader to what was written. */
function writesOf(graph: GraphWriter, reader: GraphReader): CommitPort & IngestPort {
  const largeCommits = new LargeCommits();
  return {
    commit: async (request) => {
      const result = await graph.commit(request);
      reader.refresh();
      return result;
    },
    ingest: async (operations, author) => ({
      ...(await graph.ingest(operations, { firstIndex: 0, author })),
      commits: 1,
    }),
    openIngestStream: async (author) => {
      const stream = new NdjsonIngest(graph, { author, largeCommits });
      return {
        write: (chunk) => stream.write(chunk),
        end: () => stream.end(),
        abort: async () => stream.abort(),
      };
    },
  };
}

async function addUsers(commits: CommitPort): Promise<void> {
  const passwordHash = await hashPassword(TEST_PASSWORD);
  const credential = { passwordHash, changedAt: 0, sessionsNotBefore: 0, keptSession: null };
  await commits.commit({
    system: true,
    operations: Object.entries(USERS).map(([name, traits]) => ({
      op: 'addOrUpdate',
      type: '_User',
      key: userKey(name),
      fields: { UserName: name, Active: true, Confirmed: true, ...traits },
    })),
    vault: Object.keys(USERS).map((name) => writeCredential(userUid(name), credential)),
  });
}

function sessionsOf({ identity }: Services): Record<UserName, string> {
  const session = (name: UserName) => identity.signInAs(userUid(name), 'test', '::1').token;
  return {
    admin: session('admin'),
    'read-only-admin': session('read-only-admin'),
    user: session('user'),
    guest: session('guest'),
  };
}

async function mintTokens({ tokens, identity }: Services) {
  const admin = identity.authenticate(identity.signInAs(userUid('admin'), 'test', '::1').token);
  const mint = async (name: keyof typeof TOKENS) =>
    (await tokens.create(admin, { name, ...TOKENS[name] }, '::1')).token;
  return {
    'ingestion-token': await mint('ingestion-token'),
    'run-token': await mint('run-token'),
    'scim-token': await mint('scim-token'),
    'endpoint-token': await mint('endpoint-token'),
    'llm-openai-token': await mint('llm-openai-token'),
    'llm-anthropic-token': await mint('llm-anthropic-token'),
  };
}
