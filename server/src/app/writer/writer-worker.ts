import { workerData } from 'node:worker_threads';
import { Followers } from '#log/followers.ts';
import { serve } from '../threads/thread.ts';
import { answersOf } from './answer-writer.ts';
import { openWriter } from './open-writer.ts';
import {
  leaseTold,
  type WriterCalls,
  type WriterNotices,
  type WriterOptions,
} from './writer-client.ts';

/**
 * The writer thread: the log, the only read-write state, the transactor, and the parsing of ingest
 * streams (design, "Threads"). Requests are answered in any order; commits happen in the order of
 * their messages.
 */
serve<WriterNotices, WriterCalls>(async (main) => {
  const options: WriterOptions = workerData;
  const followers = new Followers(options.followers);
  const writer = await openWriter(
    { ...options, followers },
    (text) => main.tell('note', text),
    leaseTold(main),
  );
  return answersOf(writer, async () => writer[Symbol.asyncDispose]());
});
