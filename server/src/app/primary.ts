import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_FILE } from '#store/master-key.ts';
import { EndpointPool } from '#runtime/sandbox/endpoint-pool.ts';
import { usualSize } from '#runtime/sandbox/pool-load.ts';
import { readFrontEnd } from './front-end/front-end-files.ts';
import type { Followers } from '#log/followers.ts';
import { openStorage, PRIMARY_FOLLOWERS, readingOf, type ReadState } from './open-storage.ts';
import { rowMemoryBytes } from './graph-memory.ts';
import type { PrimaryMember } from './member/member-role.ts';
import { promoteReplica } from './replication/replica-store.ts';
import { commitObserver, TracedCommits } from './telemetry/traced-commits.ts';
import type { Workspace, WorkspaceOptions } from './workspace.ts';
import type { FrontEndFiles } from './front-end/front-end-files.ts';
import type { PreparedHttp } from './prepared-http.ts';
import type { IndexThread } from './search/index-thread.ts';
import type { WriterClient, WriterEvents } from './writer/writer-client.ts';

/** What a member that has followed has open, and goes on with. Whoever gives it closes it. */
export interface KeptParts {
  readonly files: FrontEndFiles;
  readonly followers: Followers;
  readonly state: ReadState;
  readonly pool: EndpointPool;
  readonly index: IndexThread;
  /** Undefined until it is made. */
  readonly http: PreparedHttp | undefined;
  /** Begins to write; see `ReplicaThread`. Resolves once the port is free as well. */
  readonly lead: (events: WriterEvents) => Promise<WriterClient>;
}

/** The same for a member that has followed until now, and has it all open. */
export async function openPromoted(
  options: WorkspaceOptions,
  { files, followers, state, pool, index, http, lead }: KeptParts,
  member: PrimaryMember,
): Promise<Workspace> {
  const { logger, telemetry } = options;
  const { reader } = state;
  const traced = new TracedCommits();
  const crashed = Promise.withResolvers<Error>();
  const loading = import('./primary-workspace.ts');
  for (const kind of PRIMARY_FOLLOWERS) followers.of(kind).needs(0);
  const writer = await lead({
    onNote: (text) => logger.warn(text),
    onCrash: crashed.resolve,
    observeCommit: commitObserver(telemetry, traced.note),
    leaseEvents: member.leaseEvents,
    onWritten: () => reader.refresh(),
  });
  const { openPrimaryWorkspace } = await loading;
  const written = { ...state, writer, followers, sequence: followers.applied };
  const parts = { state: written, files, pool, index, http, traced, member };
  await using opened = new AsyncDisposableStack();
  opened.defer(() => writer.release());
  const workspace = opened.use(await openPrimaryWorkspace(options, parts));
  const resources = opened.move();
  return {
    ...workspace,
    crashed: crashed.promise,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/**
 * Opens the storage, puts the parts together, and listens; not ready yet. What takes longest to
 * load begins first: the rest of the program is loaded beside it.
 */
export async function openPrimary(
  options: WorkspaceOptions,
  member?: PrimaryMember,
): Promise<Workspace> {
  const { storage, config, secrets, logger } = options;
  await using opened = new AsyncDisposableStack();
  const environmentKey = Promise.withResolvers<string | undefined>();
  const pool = EndpointPool.start({
    storage,
    environmentKey: environmentKey.promise,
    size: usualSize(),
    rowMemoryBytes: rowMemoryBytes(config),
    logger,
  });
  opened.defer(() => pool.close());
  // A new workspace has no code that anybody could call.
  if (existsSync(join(storage, STORE_FILE))) void pool.prepare();
  const files = await readFrontEnd({ ...options, configured: config.frontEndFolder });
  // Members keep the mark of a replica, and the epoch.
  if (member === undefined) {
    await promoteReplica({ storage, masterKey: secrets.graphMasterKey, logger });
  }
  const traced = new TracedCommits();
  const observeCommit = commitObserver(options.telemetry, traced.note);
  const crashed = Promise.withResolvers<Error>();
  const opening = openStorage(
    { ...readingOf(options), lowMemory: config.lowMemory, shared: member?.shared },
    {
      onNote: (text) => logger.warn(text),
      onCrash: crashed.resolve,
      observeCommit,
      leaseEvents: member?.leaseEvents,
    },
  );
  const loading = import('./primary-workspace.ts');
  const state = opened.use(await opening);
  environmentKey.resolve(state.store.environmentKey);
  const { openPrimaryWorkspace } = await loading;
  const parts = { files, pool, traced, member };
  opened.defer(() => pool.close());
  if (member !== undefined) opened.defer(() => state.writer.release());
  const workspace = opened.use(
    await openPrimaryWorkspace(options, {
      ...parts,
      state,
      index: undefined,
      http: undefined,
    }),
  );
  const resources = opened.move();
  return {
    ...workspace,
    crashed: crashed.promise,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
