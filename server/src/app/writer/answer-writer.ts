import { must } from '#base/assert.ts';
import { LargeCommits } from '#graph/large-commits.ts';
import { NdjsonIngest } from '#graph/ndjson-ingest.ts';
import { dropRows } from '#store/row-state.ts';
import { loadWordnet } from '../sample.ts';
import type { Handlers } from '../threads/channel.ts';
import type { OpenWriter } from './open-writer.ts';
import type { Timed, WriterCalls } from './writer-client.ts';

/** How a thread answers that has the writer; it closes that by `close`. */
export function answersOf(
  writer: Omit<OpenWriter, typeof Symbol.asyncDispose>,
  close: () => Promise<void>,
): Handlers<WriterCalls> {
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
    release: () => writer.release(),
    close,
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
