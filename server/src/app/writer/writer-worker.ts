import { workerData } from 'node:worker_threads';
import { must } from '#base/assert.ts';
import { NdjsonIngest } from '#graph/ndjson-ingest.ts';
import { LargeCommits } from '#graph/large-commits.ts';
import { Followers } from '#log/followers.ts';
import { dropRows } from '#store/row-state.ts';
import { loadWordnet } from '../sample.ts';
import type { Handlers } from '../threads/channel.ts';
import { serve } from '../threads/thread.ts';
import type { Timed, WriterCalls, WriterNotices, WriterOptions } from './writer-client.ts';
import { openWriter, type OpenWriter } from './open-writer.ts';

/**
 * The writer thread: the log, the only read-write state, the transactor, and the parsing of ingest
 * streams (design, "Threads"). Requests are answered in any order; commits happen in the order of
 * their messages.
 */
serve<WriterNotices, WriterCalls>(async (main) => {
  const options: WriterOptions = workerData;
  const followers = new Followers(options.followers);
  const writer = await openWriter({ ...options, followers }, (text) => main.tell('note', text), {
    onAdopted: () => main.tell('leaseAdopted'),
    onLost: () => main.tell('leaseLost'),
    onRenewal: (renewal) => main.tell('leaseRenewal', renewal),
  });
  return answersOf(writer);
});

function answersOf(writer: OpenWriter): Handlers<WriterCalls> {
  const { graph, requireLeading } = writer;
  const largeCommits = new LargeCommits();
  const streams = new Map<number, NdjsonIngest>();
  let lastStream = 0;
  const stream = (number: number): NdjsonIngest =>
    must(streams.get(number), `the ingest stream ${number}`);
  return {
    opened: () => undefined,
    commit: (request) => {
      requireLeading();
      return graph.commit(request);
    },
    timedCommit: (request) => {
      requireLeading();
      return timed(() => graph.commit(request));
    },
    timedLine: (requests) => {
      requireLeading();
      return timed(async () => {
        const outcomes = await graph.commitLine(requests);
        const sequences = outcomes.map((one) => ('sequence' in one ? one.sequence : 0));
        return { sequence: Math.max(0, ...sequences), outcomes };
      });
    },
    ingest: async ({ operations, author }) => {
      requireLeading();
      return { ...(await graph.ingest(operations, { firstIndex: 0, author })), commits: 1 };
    },
    openStream: (author) => {
      requireLeading();
      streams.set(++lastStream, new NdjsonIngest(graph, { author, largeCommits }));
      return lastStream;
    },
    writeStream: ({ stream: number, bytes }) => {
      requireLeading();
      return stream(number).write(bytes);
    },
    endStream: (number) =>
      stream(number)
        .end()
        .finally(() => streams.delete(number)),
    abortStream: (number) => {
      streams.get(number)?.abort();
      streams.delete(number);
    },
    loadSample: (_, { progress }) => loadWordnet(graph, (done, total) => progress({ done, total })),
    repackRows: () => dropRows(writer.state.local),
    close: async () => {
      await writer[Symbol.asyncDispose]();
    },
  };
}

async function timed<R>(commit: () => Promise<R>): Promise<Timed<R>> {
  const startedAt = now();
  const result = await commit();
  return { result, startedAt, endedAt: now() };
}

/** Milliseconds since the Unix epoch, with fractions. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
