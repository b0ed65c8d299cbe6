import { openGraphReader } from '#graph/open-reader.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { VaultReader } from '#identity/vault.ts';
import { openVaultReader } from './vault-reader.ts';
import type { WriterOptions } from './writer/messages.ts';
import { PublishedSequence } from './writer/published-sequence.ts';
import { WriterClient, type WriterEvents } from './writer/writer-client.ts';

/** The way to write, and what this thread reads with. */
export interface OpenStorage extends AsyncDisposable {
  readonly writer: WriterClient;
  readonly sequence: PublishedSequence;
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  /**
   * For a reader in another thread. The writer has opened the environments for the whole process, so no other thread
   * needs the key: least of all those that run the code of endpoints.
   */
  readonly store: { readonly storage: string; readonly environmentKey: undefined };
}

export async function openStorage(
  options: Omit<WriterOptions, 'sequence'>,
  events: WriterEvents,
): Promise<OpenStorage> {
  await using opened = new AsyncDisposableStack();
  const sequence = new PublishedSequence();
  const writer = opened.use(
    await WriterClient.open({ ...options, sequence: sequence.buffer }, events),
  );
  const store = { storage: options.storage, environmentKey: undefined };
  const newestSequence = (): number => sequence.get();
  const reader = opened.use(openGraphReader({ ...store, newestSequence }));
  const vault = opened.use(openVaultReader({ ...store, newestSequence }));
  const resources = opened.move();
  return {
    writer,
    sequence,
    reader,
    vault,
    store,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
