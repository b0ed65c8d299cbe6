import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LOG_BLOCK_BYTES, LOG_LINE_BYTES_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { byDate, dateOf, type LogDate } from '../daily-file.ts';
import { headOf } from './log-lines.ts';
import { placeOf } from './log-place.ts';

export interface LogFile {
  /** Below the folder, with "/" between. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Times of its first and last record, ISO 8601 UTC; null where it has none. */
  readonly from: string | null;
  readonly to: string | null;
}

/** One of the logs of a process: files of a day below `folder`, with names of `daily-file.ts`. */
export interface NamedLog {
  /** Below the folder of all; empty for that one. */
  readonly folder: string;
  readonly name: string;
}

interface DatedFile extends LogDate {
  readonly name: string;
}

/**
 * The files that the loggers of this server write, and those that are left of servers before. Other
 * files of the folder are none of ours.
 */
export class LogFiles {
  readonly #folder: string;
  readonly #logs: readonly NamedLog[];

  /** `folder` is absolute. */
  constructor(folder: string, logs: readonly NamedLog[]) {
    this.#folder = folder;
    this.#logs = logs;
  }

  /** Newest first. */
  async list(): Promise<LogFile[]> {
    const files = await this.#find();
    const described = await Promise.all(files.map(({ name }) => this.#describe(name)));
    return described.filter((file) => file !== undefined);
  }

  /**
   * The lines of all files, or of those named, in the order of time; not before `fromMs`, and
   * before `toMs`: what else there is of the files is not read. Throws `log_file_not_found`.
   */
  async *lines(
    direction: Direction,
    wanted: LineSpan & { readonly names?: readonly string[] | undefined },
  ): AsyncGenerator<string[]> {
    const span = { fromMs: wanted.fromMs, toMs: wanted.toMs };
    const files = this.#chosen(await this.#find(), wanted.names).filter(isWithin(wanted));
    const days = Map.groupBy(files, ({ day }) => day);
    const order = [...days.keys()].toSorted();
    for (const day of direction === 'forward' ? order : order.toReversed()) {
      const paths = (days.get(day) ?? []).map(({ name }) => join(this.#folder, name));
      yield* mergedLines(
        paths.map((path) => fileLines(path, direction, span)),
        direction,
      );
    }
  }

  #chosen(files: readonly DatedFile[], names: readonly string[] | undefined): readonly DatedFile[] {
    if (names === undefined) return files;
    for (const name of names) {
      if (!files.some((file) => file.name === name)) {
        throw new Problem('log_file_not_found', `There is no log file "${name}".`);
      }
    }
    return files.filter(({ name }) => names.includes(name));
  }

  /** Newest first, without links and other entries that are no plain files. */
  async #find(): Promise<DatedFile[]> {
    const found = await Promise.all(
      this.#logs.map(async ({ folder, name }) => {
        const path = join(this.#folder, folder);
        const entries = await readdir(path, { withFileTypes: true }).catch(unlessGone);
        return (entries ?? []).flatMap((entry) => {
          const date = dateOf(entry.name, name);
          const below = folder === '' ? entry.name : `${folder}/${entry.name}`;
          return entry.isFile() && date !== undefined ? [{ name: below, ...date }] : [];
        });
      }),
    );
    return found.flat().toSorted((a, b) => byDate(b, a) || byName(a, b));
  }

  async #describe(name: string): Promise<LogFile | undefined> {
    const path = join(this.#folder, name);
    const found = await stat(path).catch(unlessGone);
    if (found === undefined) return undefined;
    const [from, to] = [await firstTime(path, 'forward'), await firstTime(path, 'backward')];
    return { name, sizeBytes: found.size, from, to };
  }
}

function byName(a: DatedFile, b: DatedFile): number {
  return a.name < b.name ? 1 : -1;
}

function isWithin({ fromMs = -Infinity, toMs = Infinity }: LineSpan) {
  return ({ day }: DatedFile): boolean => {
    const beginMs = Date.parse(day);
    return beginMs < toMs && beginMs + DAY_MS > fromMs;
  };
}

const DAY_MS = 86_400_000;

/** The first time in the first block that has a record. */
async function firstTime(path: string, direction: Direction): Promise<string | null> {
  for await (const lines of fileLines(path, direction)) {
    for (const line of lines) {
      const head = headOf(line);
      if (head !== undefined) return head.at;
    }
  }
  return null;
}

/** One source of lines that can look at its next line. */
class LineSource {
  readonly #blocks: AsyncIterator<string[]>;
  #block: string[] = [];
  #at = 0;
  /** Time of the next line; a line without one has that of the line before. */
  time = '';

  constructor(blocks: AsyncIterable<string[]>) {
    this.#blocks = blocks[Symbol.asyncIterator]();
  }

  /** False when there is no next line. */
  async look(): Promise<boolean> {
    while (this.#at === this.#block.length) {
      const { done, value } = await this.#blocks.next();
      if (done === true) return false;
      this.#block = value;
      this.#at = 0;
    }
    this.time = headOf(this.#block[this.#at]!)?.at ?? this.time;
    return true;
  }

  /** Whether the next line can be had without waiting; then `time` is its time. */
  get isReady(): boolean {
    if (this.#at === this.#block.length) return false;
    this.time = headOf(this.#block[this.#at]!)?.at ?? this.time;
    return true;
  }

  take(): string {
    return this.#block[this.#at++]!;
  }

  async close(): Promise<void> {
    await this.#blocks.return?.();
  }
}

/** The lines of several files, ordered by time, in blocks. */
export async function* mergedLines(
  files: readonly AsyncIterable<string[]>[],
  direction: Direction,
): AsyncGenerator<string[]> {
  const [only] = files;
  if (files.length === 1 && only !== undefined) {
    yield* only;
    return;
  }
  const sources = files.map((blocks) => new LineSource(blocks));
  try {
    const unread = new Set<LineSource>();
    for (const source of sources) if (await source.look()) unread.add(source);
    while (unread.size > 0) {
      const lines: string[] = [];
      let next = nextOf(unread, direction);
      for (;;) {
        lines.push(next.take());
        if (!next.isReady) break;
        next = nextOf(unread, direction);
      }
      yield lines;
      if (!(await next.look())) unread.delete(next);
    }
  } finally {
    for (const source of sources) await source.close();
  }
}

function nextOf(unread: Iterable<LineSource>, direction: Direction): LineSource {
  const [first, ...others] = unread;
  return others.reduce((best, source) => {
    const isBefore = direction === 'forward' ? source.time < best.time : source.time > best.time;
    return isBefore ? source : best;
  }, first!);
}

export type Direction = 'forward' | 'backward';

/** Of lines in the order of time: not before the one, and before the other (Unix epoch). */
export interface LineSpan {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

interface FileLineLimits extends LineSpan {
  readonly blockBytes?: number;
  /** A line over several blocks is dropped when it is longer. */
  readonly lineBytesMax?: number;
}

const NEWLINE = 0x0a;

/**
 * The lines of a file as it was when it was opened, in blocks: oldest first, or newest first. A
 * line that is longer than any of the logger's is left out. The last line may have no end. A
 * missing file has no lines.
 */
export async function* fileLines(
  path: string,
  direction: Direction,
  limits: FileLineLimits = {},
): AsyncGenerator<string[]> {
  const { fromMs, toMs, blockBytes = LOG_BLOCK_BYTES, lineBytesMax = LOG_LINE_BYTES_MAX } = limits;
  await using file = await open(path, 'r').catch(unlessGone);
  if (file === undefined) return;
  const { size } = await file.stat();
  const begin = fromMs === undefined ? 0 : await placeOf(file, size, fromMs);
  const end = toMs === undefined ? size : await placeOf(file, size, toMs);
  const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(end - begin, blockBytes)));
  let rest: Buffer | undefined = Buffer.alloc(0);
  for (let done = begin; done < end;) {
    const length = Math.min(blockBytes, end - done);
    const position = direction === 'forward' ? done : begin + end - done - length;
    const { bytesRead } = await file.read(buffer, 0, length, position);
    // Somebody else has shortened the file.
    if (bytesRead < length) return;
    done += length;
    const cut = cutBlock(buffer.subarray(0, length), rest, direction);
    rest = cut.rest !== undefined && cut.rest.length > lineBytesMax ? undefined : cut.rest;
    if (cut.lines.length > 0) yield cut.lines;
  }
  const last = rest?.toString() ?? '';
  if (last !== '') yield [last];
}

/** Old files may be removed during a search: they count as missing. */
function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/**
 * The whole lines of a block, joined with the rest of the block before. `rest` is undefined inside
 * a line that is too long.
 */
function cutBlock(block: Buffer, before: Buffer | undefined, direction: Direction) {
  const isForward = direction === 'forward';
  const end = isForward ? block.lastIndexOf(NEWLINE) : block.indexOf(NEWLINE);
  const glued = (piece: Buffer): Buffer | undefined => {
    if (before === undefined) return undefined;
    return Buffer.concat(isForward ? [before, piece] : [piece, before]);
  };
  if (end < 0) return { lines: [], rest: glued(block) };
  const edge = isForward ? block.indexOf(NEWLINE) : block.lastIndexOf(NEWLINE);
  const [joined, inner, rest] = isForward
    ? [glued(block.subarray(0, edge)), block.subarray(edge + 1, end), block.subarray(end + 1)]
    : [glued(block.subarray(edge + 1)), block.subarray(end + 1, edge), block.subarray(0, end)];
  const between = edge === end ? [] : inner.toString().split('\n');
  const first = joined === undefined ? [] : [joined.toString()];
  const lines = [...first, ...(isForward ? between : between.toReversed())];
  return { lines: lines.filter((line) => line !== ''), rest: Buffer.from(rest) };
}
