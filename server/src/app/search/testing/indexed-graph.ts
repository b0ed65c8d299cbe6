import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must } from '#base/assert.ts';
import { type Clock, systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { GraphWriter } from '#graph/graph-writer.ts';
import { openGraphReader } from '#graph/open-reader.ts';
import type { CommitRequest } from '#graph/operations.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { Followers } from '#log/followers.ts';
import { type LogTail, openLogTail } from '#log/log-tail.ts';
import { openSegmentLog } from '#log/segment-log.ts';
import { embeddingKey } from '#search/embeddings/embedding-record.ts';
import { connectionsIn } from '#search/indexing/connections.ts';
import type { SegmentThreads } from '#search/indexing/rebuild.ts';
import { type MergePorts, runIndex } from '#search/indexing/run-index.ts';
import type { IndexState, SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import { textChunks, TextDesk } from '#search/indexing/vectors/vector-indexer.ts';
import { LiveSearcher } from '#search/service/live-searcher.ts';
import { openVectors } from '#search/service/opened-snapshot.ts';
import { type SearchAnswer, Searcher } from '#search/service/searcher.ts';
import { performMerge } from '#search/text/merge-segments.ts';
import { indexFolder } from '#search/text/segment-codec.ts';
import { SegmentReaders } from '#search/text/segment-readers.ts';
import { openState } from '#store/state-writer.ts';
import type { IndexOptions } from '../index-options.ts';
import { StoredIndex } from '../stored-index.ts';
import { StoredVectors } from '../stored-vectors.ts';

/**
 * So small that every commit begins a new segment of the log, and a trim drops all before the
 * newest.
 */
const LOG_SEGMENT_BYTES_MAX = 1;

/** So fast that the index is saved again and again. */
const HASTY_CLOCK: Clock = { now: () => systemClock.now() * 1_000 };

interface Parts {
  readonly storage: string;
  readonly log: CommitLog;
  readonly writer: GraphWriter;
  readonly followers: Followers;
  readonly tail: LogTail;
  readonly reader: StateReader;
  readonly resources: AsyncDisposableStack;
}

interface ThreadsPorts {
  /** A reader of their own. */
  readonly reader: StateReader;
  readonly note: (text: string) => void;
}

/** A real graph in a folder of its own, and the index that follows its log, with its files. */
export class IndexedGraph implements AsyncDisposable {
  /** What the index has told of since the graph was opened. */
  readonly notes: string[] = [];
  /** Since it was started last: how often it was told that something is made again. */
  rebuilds = 0;
  /** How far that was each time. */
  progress: number[] = [];
  /** What waits to be embedded. */
  texts = new TextDesk();
  /** The bound of the index that is started next. */
  memoryBytesMax = Infinity;
  /** The same: who makes segments for it; nobody else when there is nothing here. */
  threads: ((ports: ThreadsPorts) => SegmentThreads) | undefined;
  readonly #parts: Parts;
  readonly #segments: SegmentReaders;
  #searcher: Searcher;
  #last = 0;
  #newest: SearchSnapshot | undefined;
  #changed = Promise.withResolvers<void>();
  #run: { readonly closing: AbortController; readonly end: Promise<void> } | undefined;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#segments = parts.resources.use(new SegmentReaders(indexFolder(parts.storage)));
    this.#searcher = newSearcher(parts.reader, this.#segments);
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
    const followers = new Followers();
    const { applied } = followers;
    applied.publish(sequence, 1);
    const tail = await openLogTail({ folder, durable: applied });
    const newestSequence = (): number => applied.get();
    const reader = opened.use(openGraphReader({ storage, newestSequence }));
    const resources = opened.move();
    return new IndexedGraph({ storage, log, writer, followers, tail, reader, resources });
  }

  get vectorFolder(): string {
    return join(this.#parts.storage, 'vectors');
  }

  get folder(): string {
    return join(this.#parts.storage, 'search');
  }

  /** For threads that index the same graph. */
  get indexOptions(): IndexOptions {
    const { storage } = this.#parts;
    const { memoryBytesMax } = this;
    const { buffer: followers } = this.#parts.followers;
    return { storage, masterKey: null, followers, memoryBytesMax, buildThreads: 1 };
  }

  /** The sequence of the last commit that was shown. */
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
    this.#parts.followers.applied.publish(this.#last, 1);
  }

  /** Drops all of the log but the newest commit. */
  trim(): Promise<void> {
    return this.#parts.log.trim(this.#last);
  }

  /** The same, but for what those who follow the log have said that they need. */
  trimForFollowers(): Promise<void> {
    const { log, followers } = this.#parts;
    return log.trim(Math.min(this.#last, followers.lowestNeeded() ?? Infinity));
  }

  start(): void {
    const { tail: log, storage, followers } = this.#parts;
    const closing = new AbortController();
    const note = (text: string): void => void this.notes.push(text);
    const newestSequence = (): number => followers.applied.get();
    const run = async (): Promise<void> => {
      using reader = openGraphReader({ storage, newestSequence });
      using threadsReader = openGraphReader({ storage, newestSequence });
      const threads = this.threads?.({ reader: threadsReader, note });
      using files = new StoredIndex({ storage, log, memoryBytesMax: this.memoryBytesMax, note });
      const merge: MergePorts['merge'] = async (task) => performMerge(task, files.openPages);
      const publish = (snapshot: SearchSnapshot): void => this.#receive(snapshot);
      const clock = HASTY_CLOCK;
      const random = Math.random;
      const vectorFiles = new StoredVectors(storage, { log, random, note });
      const { texts } = this;
      const vectors = { random };
      const positions = { text: followers.of('text index'), vector: followers.of('vector index') };
      const following = { reader, log, clock, merge, publish, note, ...positions };
      const kept = { files, firstSegment: 1, vectorFiles, collect: () => {} };
      await runIndex({ ...following, ...kept, vectors, texts, threads }, closing.signal);
    };
    this.#newest = undefined;
    this.rebuilds = 0;
    this.progress = [];
    this.texts = new TextDesk();
    // Nothing is read any more of an index that has ended.
    this.#segments.keepOnly(new Set());
    this.#searcher = newSearcher(this.reader, this.#segments);
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
    await this.until(
      ({ sequence, rebuild }) =>
        sequence !== null && sequence >= this.#parts.followers.applied.get() && rebuild === null,
    );
  }

  /** Until the index has taken in every commit that was shown; it may still be built again. */
  followed(): Promise<void> {
    return this.until(({ sequence }) => (sequence ?? 0) >= this.#parts.followers.applied.get());
  }

  /** Rejects when the index ends before. */
  async until(holds: (state: IndexState) => boolean): Promise<void> {
    while (this.#newest === undefined || !holds(this.#newest.state)) {
      await Promise.race([this.#changed.promise, this.#ended()]);
    }
  }

  /** Answers of the index that follows, and of one that is newly built from the state. */
  answers(requests: readonly object[]): { readonly followed: unknown; readonly anew: unknown } {
    const anew = new LiveSearcher(this.reader).current();
    const ask = (searcher: Searcher): unknown[] =>
      requests.map((request) => [request, comparable(() => searcher.search(request, undefined))]);
    return { followed: ask(this.#searcher), anew: ask(anew) };
  }

  /**
   * Vectors of the index as it last told of itself, and of one that is newly built from the state.
   */
  vectors(): { readonly followed: unknown; readonly anew: unknown } {
    const { reader } = this;
    const snapshot = must(this.#newest, 'what was indexed');
    return {
      followed: vectorsIn(reader, structuredClone(snapshot)),
      anew: vectorsIn(reader, new LiveSearcher(reader).snapshot()),
    };
  }

  /** The keys of the vectors that all texts have or want. */
  textKeys(): ReadonlySet<string> {
    const { reader } = this;
    const { plan } = must(this.#newest, 'what was indexed');
    return new Set(
      [...plan.types.values()].flatMap(({ name: type, vectors }) =>
        reader
          .idsOfType(type)
          .flatMap((id) =>
            vectors.flatMap(({ name, model, chunk }) =>
              chunk === undefined
                ? []
                : textChunks(reader.field(id, name), chunk).map((text) =>
                    embeddingKey(model, text),
                  ),
            ),
          ),
      ),
    );
  }

  /** How many connections a node has, as the index last told. */
  connectionsOf(id: number): number {
    return connectionsIn(must(this.#newest, 'what was indexed').connections, id);
  }

  get textsLeft(): IndexState['texts'] | undefined {
    return this.#newest?.state.texts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#parts.resources.disposeAsync();
  }

  #receive(snapshot: SearchSnapshot): void {
    this.#newest = snapshot;
    const { rebuild } = snapshot.state;
    if (rebuild !== null) {
      this.rebuilds++;
      this.progress.push(rebuild.done);
    }
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

function newSearcher(reader: StateReader, segments: SegmentReaders): Searcher {
  return new Searcher({ reader, now: () => 0, segments });
}

/** By field and node. */
function vectorsIn(reader: StateReader, { vectors, plan }: SearchSnapshot): unknown {
  const ids = reader.schema().nodes.flatMap(({ type }) => reader.idsOfType(type));
  const list = openVectors(vectors, plan.types).flatMap(({ type, field, index }) =>
    ids
      .map((id) => [type.name, field.name, id, index.vectorsOf(id)] as const)
      .filter(([, , , found]) => found.length > 0),
  );
  return list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
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
