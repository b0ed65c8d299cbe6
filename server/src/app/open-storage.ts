import type { AppliedSequence } from '#log/applied-sequence.ts';
import { Followers } from '#log/followers.ts';
import { openReadState, type ReadState } from './read-state.ts';
import { WriterClient, type WriterEvents, type WriterOptions } from './writer/writer-client.ts';

/** The way to write, and what this thread reads with. */
export interface OpenStorage extends AsyncDisposable, Omit<ReadState, typeof Symbol.dispose> {
  readonly writer: WriterClient;
  readonly followers: Followers;
  /** That of the followers. */
  readonly sequence: AppliedSequence;
}

export async function openStorage(
  options: Omit<WriterOptions, 'followers'>,
  events: WriterEvents,
): Promise<OpenStorage> {
  await using opened = new AsyncDisposableStack();
  const followers = Followers.awaiting(['text index', 'vector index', 'backups']);
  const { applied: sequence } = followers;
  const writer = opened.use(
    await WriterClient.open({ ...options, followers: followers.buffer }, events),
  );
  const { reader, vault, store } = opened.use(
    openReadState(options.storage, options.masterKey, sequence),
  );
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
