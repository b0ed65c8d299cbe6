import { setImmediate } from 'node:timers/promises';
import {
  FILE_TEXT_CHARACTERS_MAX,
  FILE_TEXT_SOURCE_BYTES_MAX,
  FILE_TEXT_TRIES_MAX,
  NODE_SCAN_IDS,
} from '#base/limits.ts';
import { FILE_TYPE } from '#graph/file-nodes.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { contentPlace, readContent } from './file-content.ts';
import { extractInProcess, type Extraction } from './extraction/extraction-process.ts';
import { textKindOf } from './extraction/text-kind.ts';
import { readStoredFile, type StoredFile, type TextState } from './stored-file.ts';

export interface FileTextsParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  /** Told of what is a fault of ours; the file is looked at again after the next start. */
  readonly onFault: (error: unknown) => void;
}

interface Outcome {
  readonly state: TextState;
  readonly text?: string;
  readonly pages?: readonly number[];
  readonly error?: string;
}

/**
 * Takes the text out of files that were uploaded, one after the other, and keeps it with them,
 * where searches find it. What was not looked at when the server ended is looked at after its
 * start.
 */
export class FileTexts implements AsyncDisposable {
  readonly #parts: FileTextsParts;
  /** UIDs. */
  readonly #waiting = new Set<string>();
  readonly #stop = new AbortController();
  #work: Promise<void> | undefined;

  constructor(parts: FileTextsParts) {
    this.#parts = parts;
  }

  /** Goes on with what is left from before. */
  start(): void {
    this.#run(() => this.#findPending());
  }

  add(uid: string): void {
    this.#waiting.add(uid);
    this.#run(() => Promise.resolve());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  #run(before: () => Promise<void>): void {
    const last = this.#work ?? Promise.resolve();
    this.#work = last
      .then(before)
      .then(() => this.#drain())
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#parts.onFault(error);
      });
  }

  async #findPending(): Promise<void> {
    const { reader } = this.#parts;
    reader.refresh();
    const walk = reader.walkType(FILE_TYPE);
    for (;;) {
      const ids = walk.next(NODE_SCAN_IDS);
      for (const id of ids) {
        const { UID, textState } = readStoredFile(reader, id);
        if (textState === 'pending') this.#waiting.add(UID);
      }
      if (ids.length < NODE_SCAN_IDS || this.#stop.signal.aborted) return;
      await setImmediate();
      reader.refresh();
    }
  }

  async #drain(): Promise<void> {
    for (const uid of this.#waiting) {
      if (this.#stop.signal.aborted) return;
      this.#waiting.delete(uid);
      await this.#takeText(uid);
    }
  }

  async #takeText(uid: string): Promise<void> {
    const { reader, commits } = this.#parts;
    reader.refresh();
    const id = reader.id({ uid });
    if (id === undefined) return;
    const { state, text = null, pages = [], error = null } = await this.#outcomeOf(id);
    const TextPages = pages.length === 0 ? null : pages;
    const fields = { TextState: state, Text: text, TextPages, TextError: error };
    try {
      await commits.commit({ system: true, operations: [{ op: 'update', uid, fields }] });
    } catch (fault) {
      reader.refresh();
      // It was deleted meanwhile.
      if (reader.id({ uid }) !== undefined) throw fault;
    }
  }

  async #outcomeOf(id: number): Promise<Outcome> {
    const { reader } = this.#parts;
    const file = readStoredFile(reader, id);
    const kind = textKindOf(file.name, file.contentType);
    if (kind === undefined) return { state: 'unsupported' };
    if (file.size > FILE_TEXT_SOURCE_BYTES_MAX) {
      return failed(`it is larger than ${FILE_TEXT_SOURCE_BYTES_MAX} bytes`);
    }
    const bytes = await this.#bytesOf(id, file);
    if (bytes === undefined) return failed('it was deleted');
    for (let tries = 1; ; tries++) {
      const found = await extractInProcess(kind, bytes, this.#stop.signal);
      if (!('failure' in found) || found.isFinal || tries >= FILE_TEXT_TRIES_MAX) {
        return outcomeOf(found);
      }
    }
  }

  async #bytesOf(id: number, { UID: uid }: StoredFile): Promise<Buffer | undefined> {
    const { reader } = this.#parts;
    const place = contentPlace(reader, id);
    const parts: Buffer[] = [];
    try {
      for await (const part of readContent(reader, place, 0, place.size)) {
        parts.push(part);
        await setImmediate();
      }
    } catch (error) {
      if (reader.id({ uid }) === undefined) return undefined;
      throw error;
    }
    return Buffer.concat(parts);
  }
}

function outcomeOf(found: Extraction): Outcome {
  if ('failure' in found) return failed(found.failure);
  const { text, pages, isCut } = found;
  const state = 'extracted';
  return isCut
    ? {
        state,
        text,
        pages,
        error: `only the first ${FILE_TEXT_CHARACTERS_MAX} characters are kept`,
      }
    : { state, text, pages };
}

function failed(error: string): Outcome {
  return { state: 'failed', error };
}
