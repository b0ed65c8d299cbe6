import { parentPort, workerData } from 'node:worker_threads';
import { must } from '#base/assert.ts';
import { systemClock } from '#base/clock.ts';
import { openGraphReader } from '#graph/open-reader.ts';
import { runIndex } from '#search/indexing/run-index.ts';
import { openPublishedLog } from '../open-published-log.ts';
import { failureOf } from '../thread-failure.ts';
import { PublishedSequence } from '../writer/published-sequence.ts';
import type { FromIndex, IndexOptions, ToIndex } from './index-messages.ts';
import { NoIndexFiles, StoredIndex } from './stored-index.ts';
import { MergeThread } from './merge-thread.ts';

/**
 * The thread that keeps the search index up with the commit log. It reads the log's files and the state beside the thread that
 * writes them.
 */
const port = must(parentPort, 'the port of the index thread');

function send(message: FromIndex): void {
  port.postMessage(message);
}

async function main(signal: AbortSignal): Promise<void> {
  const { storage, masterKey, sequence }: IndexOptions = workerData;
  const published = new PublishedSequence(sequence);
  const { log, isEncrypted } = await openPublishedLog(storage, masterKey, published);
  // The thread that writes has opened the environments for the whole process: no other thread needs their key.
  const newestSequence = (): number => published.get();
  using reader = openGraphReader({ storage, environmentKey: undefined, newestSequence });
  await using merges = new MergeThread();
  const note = (text: string): void => send({ kind: 'note', level: 'warn', text });
  using kept = isEncrypted ? new NoIndexFiles(storage) : new StoredIndex(storage, log, note);
  await runIndex(
    {
      reader,
      log,
      clock: systemClock,
      merge: (task) => merges.merge(task),
      publish: (snapshot) => send({ kind: 'snapshot', snapshot }),
      files: kept,
      note,
    },
    signal,
  );
}

const closing = new AbortController();
port.on('message', ({ kind }: ToIndex) => {
  if (kind === 'close') closing.abort(new Error('the server stops'));
});
main(closing.signal)
  .catch((error: unknown) => {
    if (!closing.signal.aborted) send({ kind: 'failed', failure: failureOf(error) });
  })
  .finally(() => {
    send({ kind: 'closed' });
    port.close();
  });
