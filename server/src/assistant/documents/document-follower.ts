import { readTypeAccess } from '#access/type-rules.ts';
import { type Alarm, pauseFor } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { untilAborted } from '#base/unless-aborted.ts';
import { FILE_TYPE } from '#graph/file-nodes.ts';
import { MERGE_TYPE } from '#graph/merge-record.ts';
import type { GraphReader } from '#graph/reader.ts';

/** The commit log as this follower reads it. */
export interface DocumentFeed {
  /** The newest sequence that is applied. */
  readonly sequence: number;
  /** Resolves once there is something; rejects with the signal's reason. */
  next(
    asked: {
      readonly after: number;
      readonly skip: number;
      readonly lines: readonly FollowedLine[];
    },
    signal: AbortSignal,
  ): Promise<{
    readonly events: readonly { readonly uid: string; readonly type: string }[];
    readonly after: number;
    readonly skip: number;
    readonly isLost: boolean;
  }>;
  /** The log is needed after this sequence; undefined when it is not needed. */
  needs(after: number | undefined): void;
}

interface FollowedLine {
  readonly event: 'created' | 'updated' | 'deleted';
  readonly type: string;
  readonly since: number;
}

export interface WatchedDocuments {
  /** The document of each UID that tells of it: its own, and those of its files. */
  readonly documents: ReadonlyMap<string, string>;
  /** The types of all documents, of those that are gone by now too. */
  readonly types: readonly string[];
  /** Documents that are to be looked at when merged nodes are split. */
  readonly waiting: readonly string[];
}

export interface DocumentFollowerParts {
  readonly feed: DocumentFeed;
  readonly reader: GraphReader;
  readonly alarm: Alarm;
  readonly watched: () => WatchedDocuments;
  readonly look: (document: string) => Promise<void>;
  readonly onFault: (error: unknown) => void;
}

const READ_AGAIN_MS = 1_000;
/** Whoever changes who sees what leaves one. */
const TRACE_TYPE = '_AuditEvent';

/**
 * Follows the log for documents on which something rests, and has each looked at when it changes.
 * It keeps no position: at its start it looks at all, and a look compares what is kept with what
 * there is. So nothing is missed, and nothing is done twice.
 */
export class DocumentFollower implements AsyncDisposable {
  readonly #parts: DocumentFollowerParts;
  readonly #stop = new AbortController();
  /** Ends one step of reading, as there are other documents now. */
  #step = new AbortController();
  #watched: ReadonlyMap<string, string> = new Map();
  #types: readonly string[] = [];
  #rules: unknown;
  #ended: Promise<void> | undefined;

  constructor(parts: DocumentFollowerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#ended ??= this.#follow(this.#stop.signal);
  }

  /** There may be other documents now. */
  again(): void {
    this.#step.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the server stops'));
    this.#step.abort();
    await this.#ended;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { feed, alarm, onFault, reader } = this.#parts;
    let next = { after: feed.sequence, skip: 0 };
    feed.needs(next.after);
    let isFirst = true;
    let isOther = true;
    while (!signal.aborted) {
      try {
        // There may be many: they are read when they may be others.
        if (isOther || this.#step.signal.aborted) {
          this.#step = new AbortController();
          this.#readWatched();
        }
        isOther = false;
        if (this.#watched.size === 0) {
          feed.needs(undefined);
          await untilAborted(this.#step.signal);
          next = { after: feed.sequence, skip: 0 };
          feed.needs(next.after);
          isFirst = true;
          continue;
        }
        if (isFirst) await this.#lookAt(this.#watched.values(), signal);
        isFirst = false;
        const before = next.after;
        const found = await this.#read(next, AbortSignal.any([signal, this.#step.signal]));
        if (found === undefined) continue;
        reader.refresh();
        const changed = found.isLost ? this.#watched.values() : this.#changed(found.events, before);
        isOther = await this.#lookAt(changed, signal);
        next = { after: found.after, skip: found.skip };
        feed.needs(next.after);
      } catch (error) {
        if (signal.aborted) return;
        onFault(error);
        isFirst = true;
        isOther = true;
        await pauseFor(alarm, READ_AGAIN_MS, signal);
      }
    }
  }

  /** Undefined when the documents have changed meanwhile. */
  async #read(next: { readonly after: number; readonly skip: number }, signal: AbortSignal) {
    const since = 0;
    const lines = [
      ...this.#types.flatMap((type): FollowedLine[] => [
        { event: 'updated', type, since },
        { event: 'deleted', type, since },
      ]),
      { event: 'deleted', type: FILE_TYPE, since },
      { event: 'deleted', type: MERGE_TYPE, since },
      { event: 'created', type: TRACE_TYPE, since },
    ] as const;
    try {
      const found = await this.#parts.feed.next({ ...next, lines }, signal);
      // It may tell of documents that were not followed when it began: it is read again.
      return this.#step.signal.aborted ? undefined : found;
    } catch (error) {
      if (this.#step.signal.aborted) return undefined;
      throw error;
    }
  }

  #readWatched(): void {
    const { reader, watched } = this.#parts;
    const { documents, types } = watched();
    this.#watched = documents;
    this.#types = types;
    this.#rules ??= readTypeAccess(reader);
  }

  #changed(
    events: readonly { readonly uid: string; readonly type: string }[],
    before: number,
  ): Iterable<string> {
    const { reader, watched } = this.#parts;
    const rules = readTypeAccess(reader);
    const isSame = JSON.stringify(rules) === JSON.stringify(this.#rules);
    const access = reader.accessChangesSince(before);
    if (!isSame || access === undefined) {
      this.#rules = rules;
      return this.#watched.values();
    }
    const changed = events.map(({ uid }) => uid);
    for (const { from, to } of access) {
      for (const id of [from, to]) changed.push(reader.uid(id) ?? '');
    }
    const isSplit = events.some(({ type }) => type === MERGE_TYPE);
    const found = changed.flatMap((uid) => this.#watched.get(uid) ?? []);
    return isSplit ? [...watched().waiting, ...found] : found;
  }

  /** Whether there were any. */
  async #lookAt(documents: Iterable<string>, signal: AbortSignal): Promise<boolean> {
    const all = new Set(documents);
    for (const uid of all) {
      signal.throwIfAborted();
      try {
        await this.#parts.look(uid);
      } catch (error) {
        if (!isOfDocument(error)) throw error;
        // The others are not held up by it.
        this.#parts.onFault(error);
      }
    }
    return all.size > 0;
  }
}

/** What would be refused again, however often it is written. */
function isOfDocument(error: unknown): boolean {
  const ofDocument = ['invalid_operation', 'invalid_request', 'schema_conflict'];
  return error instanceof Problem && ofDocument.includes(error.code);
}
