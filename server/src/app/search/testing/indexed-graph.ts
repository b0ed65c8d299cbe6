import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { GraphWriter } from '#graph/graph-writer.ts';
import { openGraphReader } from '#graph/open-reader.ts';
import type { CommitRequest } from '#graph/operations.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { openLogTail, type LogTail } from '#log/log-tail.ts';
import { openSegmentLog } from '#log/segment-log.ts';
import { performMerge } from '#search/indexing/perform-merge.ts';
import { runIndex } from '#search/indexing/run-index.ts';
import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import { LiveSearcher } from '#search/service/live-searcher.ts';
import type { SearchAnswer } from '#search/service/search.ts';
import { Searcher } from '#search/service/searcher.ts';
import { openState } from '#store/state-writer.ts';
import { PublishedSequence } from '../../writer/published-sequence.ts';
import { StoredIndex } from '../stored-index.ts';

/** So small that every commit begins a new segment of the log, and a trim drops all before the newest. */
const LOG_SEGMENT_BYTES_MAX = 1;

interface Parts {
  readonly storage: string;
  readonly log: CommitLog;
  readonly writer: GraphWriter;
  readonly published: PublishedSequence;
  readonly tail: LogTail;
  readonly reader: StateReader;
  readonly resources: AsyncDisposableStack;
}

/** A real graph in a folder of its own, and the index that follows its log, with its files. */
export class IndexedGraph implements AsyncDisposable {
  /** What the index has told of since the graph was opened. */
  readonly notes: string[] = [];
  readonly #parts: Parts;
  #searcher: Searcher;
  #last = 0;
  #newest: SearchSnapshot | undefined;
  #changed = Promise.withResolvers<void>();
  #run: { readonly closing: AbortController; readonly end: Promise<void> } | undefined;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#searcher = newSearcher(parts.reader);
  }

  static async open(): Promise<IndexedGraph> {
    await using opened = new AsyncDisposableStack();
    const storage = await mkdtemp(join(tmpdir(), 'trellis-indexed-'));
    opened.defer(() => rm(storage, { recursive: true, force: true }));
    const folder = join(storage, 'log');
    const archive = { ttlMs: 0, bytesMax: 0 };
    const log = opened.use(
      await openSegmentLog({
        folder,
        clock: systemClock,
        archive,
        segmentBytesMax: LOG_SEGMENT_BYTES_MAX,
      }),
    );
    const state = opened.use(await openState({ storage, log, clock: systemClock }));
    const writer = new GraphWriter(state, systemClock);
    const { sequence } = await writer.addSystemSchema();
    const published = new PublishedSequence();
    published.publish(sequence);
    const tail = await openLogTail({ folder, durable: published });
    const newestSequence = (): number => published.get();
    const reader = opened.use(openGraphReader({ storage, newestSequence }));
    const resources = opened.move();
    return new IndexedGraph({ storage, log, writer, published, tail, reader, resources });
  }

  get folder(): string {
    return join(this.#parts.storage, 'search');
  }

  /** As of the last commit that was shown. */
  get reader(): StateReader {
    this.#parts.reader.refresh();
    return this.#parts.reader;
  }

  /** Nobody but the writer knows of it until `show`. */
  async commit(request: CommitRequest): Promise<void> {
    this.#last = (await this.#parts.writer.commit(request)).sequence;
  }

  /** Tells readers of all commits so far. */
  show(): void {
    this.#parts.published.publish(this.#last);
  }

  /** Drops all of the log but the newest commit. */
  trim(): Promise<void> {
    return this.#parts.log.trim(this.#last);
  }

  start(): void {
    const { tail: log, storage, published } = this.#parts;
    const closing = new AbortController();
    const note = (text: string): void => void this.notes.push(text);
    const newestSequence = (): number => published.get();
    const run = async (): Promise<void> => {
      using reader = openGraphReader({ storage, newestSequence });
      using files = new StoredIndex(storage, log, note);
      const merge = async (task: Parameters<typeof performMerge>[0]) => performMerge(task);
      const publish = (snapshot: SearchSnapshot): void => this.#receive(snapshot);
      const clock = systemClock;
      await runIndex({ reader, log, clock, merge, publish, files, note }, closing.signal);
    };
    this.#newest = undefined;
    this.#searcher = newSearcher(this.reader);
    this.#run = { closing, end: run() };
  }

  /** Waits until the index is saved and closed. */
  async stop(): Promise<void> {
    this.#run?.closing.abort();
    await this.#run?.end;
    this.#run = undefined;
  }

  /** Until the index has everything that was shown; rejects when it ends before. */
  async indexed(): Promise<void> {
    while (!this.#isUpToDate()) await Promise.race([this.#changed.promise, this.#ended()]);
  }

  /** Of the index that follows, and of one that is built anew from the state. */
  answers(requests: readonly object[]): { readonly followed: unknown; readonly anew: unknown } {
    const anew = new LiveSearcher(this.reader).current();
    const ask = (searcher: Searcher): unknown[] =>
      requests.map((request) => [request, comparable(() => searcher.search(request, undefined))]);
    return { followed: ask(this.#searcher), anew: ask(anew) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#parts.resources.disposeAsync();
  }

  #isUpToDate(): boolean {
    const { sequence = null, rebuild = null } = this.#newest?.state ?? {};
    return sequence !== null && sequence >= this.#parts.published.get() && rebuild === null;
  }

  #receive(snapshot: SearchSnapshot): void {
    this.#newest = snapshot;
    // As it comes out of a message to another thread.
    this.#searcher.receive(structuredClone(snapshot));
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async #ended(): Promise<never> {
    await this.#run?.end;
    throw new Error('the index ended before it had everything');
  }
}

function newSearcher(reader: StateReader): Searcher {
  return new Searcher({ reader, now: () => 0 });
}

/** Hits of the same score come in any order; a refusal is its code. */
function comparable(search: () => SearchAnswer): unknown {
  try {
    const { hits, total, facets } = search();
    const shown = hits.map(({ node, score, highlights }) => ({
      uid: node.UID,
      score: Number(score.toPrecision(9)),
      highlights,
    }));
    return {
      total,
      facets,
      hits: shown.toSorted((a, b) => b.score - a.score || (a.uid < b.uid ? -1 : 1)),
    };
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}
