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
}

export async function openStorage(
  options: Omit<WriterOptions, 'sequence' | 'needed'>,
  events: WriterEvents,
): Promise<OpenStorage> {
  await using opened = new AsyncDisposableStack();
  const sequence = new PublishedSequence();
  const needed = new SharedNumber();
  const writer = opened.use(
    await WriterClient.open(
      { ...options, sequence: sequence.buffer, needed: needed.buffer },
      events,
    ),
  );
  const { reader, vault, store } = opened.use(openReadState(options.storage, sequence));
  const resources = opened.move();
  return {
    writer,
    sequence,
    needed,
    reader,
    vault,
    store,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
