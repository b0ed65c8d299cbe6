import { openReadState, type ReadState } from './read-state.ts';
import { SharedNumber } from './replication/shared-number.ts';
import type { WriterOptions } from './writer/messages.ts';
import { PublishedSequence } from './writer/published-sequence.ts';
import { WriterClient, type WriterEvents } from './writer/writer-client.ts';

/** The way to write, and what this thread reads with. */
export interface OpenStorage extends AsyncDisposable, Omit<ReadState, typeof Symbol.dispose> {
  readonly writer: WriterClient;
  readonly sequence: PublishedSequence;
  /** The sequence behind which replicas need the log. */
  readonly needed: SharedNumber;
  /** The same, of backups. */
  readonly neededByBackups: SharedNumber;
}

export async function openStorage(
  options: Omit<WriterOptions, 'sequence' | 'needed' | 'neededByBackups'>,
  events: WriterEvents,
): Promise<OpenStorage> {
  await using opened = new AsyncDisposableStack();
  const sequence = new PublishedSequence();
  const needed = new SharedNumber();
  const neededByBackups = new SharedNumber();
  const writer = opened.use(
    await WriterClient.open(
      {
        ...options,
        sequence: sequence.buffer,
        needed: needed.buffer,
        neededByBackups: neededByBackups.buffer,
      },
      events,
    ),
  );
  const { reader, vault, store } = opened.use(openReadState(options.storage, sequence));
  const resources = opened.move();
  return {
    writer,
    sequence,
    needed,
    neededByBackups,
    reader,
    vault,
    store,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
