import type { AppliedSequence } from '#log/applied-sequence.ts';
import { Followers } from '#log/followers.ts';
import { openGraphReader } from '#graph/open-reader.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { VaultEntry, VaultReader } from '#identity/vault.ts';
import { DB } from '#store/databases.ts';
import { readStoreKeys } from '#store/master-key.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { rowMemoryBytes } from './graph-memory.ts';
import type { WorkspaceOptions } from './workspace.ts';
import { WriterClient, type WriterEvents, type WriterOptions } from './writer/writer-client.ts';

/** The readers of a thread other than the one that writes. */
export interface ReadState extends Disposable {
  readonly reader: StateReader;
  readonly vault: VaultReader;
  /** What a reader of the graph in another process needs. */
  readonly store: {
    readonly storage: string;
    readonly environmentKey: string | undefined;
    readonly rowMemoryBytes: number;
  };
}

interface Reading {
  readonly storage: string;
  readonly masterKey: string | null;
  /** As `GraphReaderOptions` has it. */
  readonly rowMemoryBytes: number;
}

export function readingOf({
  storage,
  config,
  secrets,
}: Pick<WorkspaceOptions, 'storage' | 'config' | 'secrets'>): Reading {
  return {
    storage,
    masterKey: secrets.graphMasterKey,
    rowMemoryBytes: rowMemoryBytes(config),
  };
}

/** To be called once the thread that writes has the state open. */
export function openReadState(
  { storage, masterKey, rowMemoryBytes: rowBytes }: Reading,
  sequence: AppliedSequence,
): ReadState {
  using opened = new DisposableStack();
  const keys = readStoreKeys({ storage, masterKey: masterKey ?? undefined });
  const { environmentKey, vaultKey } = keys;
  const opening = { storage, environmentKey };
  const store = { ...opening, rowMemoryBytes: rowBytes };
  const newestSequence = (): number => sequence.get();
  const reader = opened.use(openGraphReader({ ...store, newestSequence }));
  const vault = opened.use(openVaultReader({ ...opening, vaultKey, newestSequence }));
  const resources = opened.move();
  return { reader, vault, store, [Symbol.dispose]: () => resources.dispose() };
}

interface VaultReaderOptions {
  readonly storage: string;
  /** The key of the graph, which says how much of the vault belongs to a commit. */
  readonly environmentKey: string | undefined;
  readonly vaultKey: string | undefined;
  /** The newest applied sequence: the state is read again only when it has moved on. */
  readonly newestSequence: () => number;
}

/** The vault as `identity` reads it, always at the newest commit. Main thread only. */
export function openVaultReader(options: VaultReaderOptions): VaultReader & Disposable {
  const { newestSequence, ...store } = options;
  const snapshot = openSnapshotReader({ ...store, environments: ['graph', 'vault'] });
  let seen = -1;
  const refresh = (): void => {
    const newest = newestSequence();
    if (newest === seen) return;
    // All that was published before this refresh is in what it finds.
    seen = newest;
    snapshot.refresh();
  };
  return {
    get: (key) => {
      refresh();
      return snapshot.get(DB.vault, Buffer.from(key))?.slice();
    },
    list: (prefix) => {
      refresh();
      const start = Buffer.from(prefix);
      const entries: VaultEntry[] = [];
      // No byte of UTF-8 is 0xff: every key that begins so sorts below.
      const range = { start, end: Buffer.concat([start, Buffer.of(0xff)]) };
      snapshot.scan(DB.vault, range, (key, value) => {
        entries.push({ key: Buffer.from(key).toString('utf8'), value: value.slice() });
      });
      return entries;
    },
    [Symbol.dispose]: () => snapshot[Symbol.dispose](),
  };
}

/** What follows the log on a primary alone. */
export const PRIMARY_FOLLOWERS = ['backups', 'triggers', 'webhooks', 'documents'] as const;

/** The way to write, and what this thread reads with. */
export interface OpenStorage extends AsyncDisposable, Omit<ReadState, typeof Symbol.dispose> {
  readonly writer: WriterClient;
  readonly followers: Followers;
  /** The applied sequence of `followers`. */
  readonly sequence: AppliedSequence;
}

export async function openStorage(
  options: Reading & Omit<WriterOptions, 'followers'>,
  events: WriterEvents,
): Promise<OpenStorage> {
  await using opened = new AsyncDisposableStack();
  const followers = Followers.awaiting(['text index', 'vector index', ...PRIMARY_FOLLOWERS]);
  const { applied: sequence } = followers;
  const { storage, masterKey, lowMemory, shared } = options;
  const writing = { storage, masterKey, lowMemory, shared, followers: followers.buffer };
  let refresh = (): unknown => undefined;
  const onWritten = (): void => void refresh();
  const writer = opened.use(await WriterClient.open(writing, { ...events, onWritten }));
  const { reader, vault, store } = opened.use(openReadState(options, sequence));
  refresh = () => reader.refresh();
  const resources = opened.move();
  return {
    writer,
    followers,
    sequence,
    reader,
    vault,
    store,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
