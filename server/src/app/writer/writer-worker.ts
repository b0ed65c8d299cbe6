import { parentPort, workerData } from 'node:worker_threads';
import { assert, must } from '#base/assert.ts';
import type { CommitRequest } from '#graph/operations.ts';
import { IngestStream } from '#graph/ingest-stream.ts';
import { LargeCommits } from '#graph/large-commits.ts';
import { Followers } from '#log/followers.ts';
import { loadWordnet } from '../sample.ts';
import { failureOf } from '../thread-failure.ts';
import type { FromWriter, TimedCommit, ToWriter, WriterOptions } from './messages.ts';
import { openWriter, type OpenWriter } from './open-writer.ts';

/**
 * The writer thread: the log, the only read-write state, the transactor, and the parsing of ingest streams (design, "Threads").
 * Requests are answered in any order; commits happen in the order of their messages.
 */
const port = must(parentPort, 'the port of the writer thread');
const streams = new Map<number, IngestStream>();
const largeCommits = new LargeCommits();

function send(message: FromWriter): void {
  port.postMessage(message);
}

async function perform(writer: OpenWriter, message: ToWriter): Promise<unknown> {
  switch (message.kind) {
    case 'commit':
      return writer.graph.commit(message.request);
    case 'timedCommit':
      return timed(writer, message.request);
    case 'ingest':
      return ingest(writer, message);
    case 'openStream':
      streams.set(
        message.id,
        new IngestStream(writer.graph, { author: message.author, largeCommits }),
      );
      return message.id;
    case 'chunk':
      return stream(message.stream).write(message.bytes);
    case 'endStream':
      return stream(message.stream)
        .end()
        .finally(() => streams.delete(message.stream));
    case 'abortStream':
      streams.get(message.stream)?.abort();
      streams.delete(message.stream);
      return undefined;
    case 'loadSample':
      return loadWordnet(writer.graph, (done, total) =>
        send({ kind: 'progress', id: message.id, done, total }),
      );
    case 'close':
      return writer[Symbol.asyncDispose]();
  }
}

async function timed({ graph }: OpenWriter, request: CommitRequest): Promise<TimedCommit> {
  const startedAt = now();
  const result = await graph.commit(request);
  return { result, startedAt, endedAt: now() };
}

/** With parts of a millisecond. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

async function ingest(
  { graph }: OpenWriter,
  { operations, author }: Extract<ToWriter, { kind: 'ingest' }>,
): Promise<unknown> {
  return { ...(await graph.ingest(operations, { firstIndex: 0, author })), commits: 1 };
}

function stream(number: number): IngestStream {
  const found = streams.get(number);
  assert(found !== undefined, `ingest stream ${number} is open`);
  return found;
}

function fail(id: number | null, error: unknown): void {
  send({ kind: 'failed', id, failure: failureOf(error) });
}

async function main(): Promise<void> {
  const options: WriterOptions = workerData;
  const followers = new Followers(options.followers);
  const notes: string[] = [];
  let opened = false;
  const writer = await openWriter({ ...options, followers }, (text) => {
    if (opened) send({ kind: 'note', text });
    else notes.push(text);
  });
  port.on('message', (message: ToWriter) => {
    perform(writer, message).then(
      (value) => send({ kind: 'done', id: message.id, value }),
      (error: unknown) => fail(message.id, error),
    );
  });
  opened = true;
  send({ kind: 'opened', notes });
}

main().catch((error: unknown) => fail(null, error));
