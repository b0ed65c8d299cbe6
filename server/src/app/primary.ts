import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_FILE } from '#store/master-key.ts';
import { EndpointPool } from '#runtime/sandbox/endpoint-pool.ts';
import { usualSize } from '#runtime/sandbox/pool-load.ts';
import { readFrontEnd } from './front-end/front-end-files.ts';
import { openStorage, readingOf } from './open-storage.ts';
import { rowMemoryBytes } from './graph-memory.ts';
import type { PrimaryMember } from './member/member-role.ts';
import { promoteReplica } from './replication/replica-store.ts';
import { commitObserver, TracedCommits } from './telemetry/traced-commits.ts';
import type { Workspace, WorkspaceOptions } from './workspace.ts';

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
  const workspace = opened.use(
    await openPrimaryWorkspace(options, { state, files, pool, traced, member }),
  );
  const resources = opened.move();
  return {
    ...workspace,
    crashed: crashed.promise,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
