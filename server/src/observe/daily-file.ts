import { readdirSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Clock } from '#base/clock.ts';
import { LOG_FILE_BYTES_MAX, LOG_FILES_MAX } from '#base/limits.ts';

type FileStream = ReturnType<typeof pino.destination>;

/** The logger writes the time of a record directly after its level. */
const LINE_DAY = /^\{"level":"\w+","time":"(\d{4}-\d\d-\d\d)T/;

/**
 * A log file for each day (UTC): `<folder>/<name>-2026-11-20.log`, and another one when it has
 * `LOG_FILE_BYTES_MAX`; the newest `LOG_FILES_MAX` of them are kept. A file that cannot be written
 * is reported and never stops the server.
 */
export class DailyFile {
  readonly #folder: string;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #report: (error: Error) => void;
  #stream: FileStream;
  #day: string;
  /** Number of the file within its day, from 1 on. */
  #part = 1;
  #bytes = 0;
  #isBroken = false;
  #cleaning: Promise<void>;
  /** Resolves when the files of the days before are closed. */
  #closing: Promise<unknown> = Promise.resolve();

  constructor(folder: string, name: string, clock: Clock, report: (error: Error) => void) {
    this.#folder = folder;
    this.#name = name;
    this.#clock = clock;
    this.#report = report;
    this.#day = this.#today();
    this.#findPart();
    this.#stream = this.#open();
    this.#cleaning = this.#removeOldest();
  }

  /** Whether lines are written: not after a failure, until the next file. */
  get isWritten(): boolean {
    return !this.#isBroken;
  }

  /** Writes a line into the file of the day in the line, where people look for it. */
  write(line: string): void {
    const day = LINE_DAY.exec(line)?.[1] ?? this.#today();
    const bytes = Buffer.byteLength(line);
    if (day !== this.#day) {
      this.#leave();
      this.#day = day;
      this.#findPart();
      this.#enter();
    } else if (this.#bytes > 0 && this.#bytes + bytes > LOG_FILE_BYTES_MAX) {
      this.#leave();
      this.#part++;
      this.#bytes = 0;
      this.#enter();
    }
    if (this.#isBroken) return;
    this.#bytes += bytes;
    this.#stream.write(line);
  }

  async close(): Promise<void> {
    await this.#cleaning;
    await Promise.all([this.#closing, this.#end()]);
  }

  #leave(): void {
    this.#closing = Promise.all([this.#closing, this.#end()]);
  }

  #enter(): void {
    this.#isBroken = false;
    this.#stream = this.#open();
    this.#cleaning = this.#cleaning.then(() => this.#removeOldest());
  }

  /** Finds the last file of the day: a server that starts again continues it. */
  #findPart(): void {
    try {
      const parts = readdirSync(this.#folder).map((file) => dateOf(file, this.#name));
      const own = parts.filter((date) => date?.day === this.#day).map((date) => date?.part ?? 1);
      this.#part = Math.max(1, ...own);
      this.#bytes = statSync(this.#path(), { throwIfNoEntry: false })?.size ?? 0;
    } catch {
      // Opening the file fails too, and reports it.
      [this.#part, this.#bytes] = [1, 0];
    }
  }

  #open(): FileStream {
    const stream = openedStream(this.#path());
    // The stream of an earlier day may fail late; the current one still works.
    stream.on('error', (error: Error) => this.#fail(stream, error));
    return stream;
  }

  /** Resolves once all waiting lines are written. */
  async #end(): Promise<void> {
    const stream = this.#stream;
    if (this.#isBroken) {
      stream.destroy();
      return;
    }
    const ended = new Promise<void>((resolve) => {
      stream.once('close', resolve);
      stream.once('error', () => resolve());
    });
    stream.end();
    await ended;
  }

  /**
   * Nothing more is written before the next day: the report itself is a line, which must not fail
   * again.
   */
  #fail(stream: FileStream, error: Error): void {
    if (stream === this.#stream) {
      if (this.#isBroken) return;
      this.#isBroken = true;
    }
    this.#report(error);
  }

  async #removeOldest(): Promise<void> {
    try {
      const names = await readdir(this.#folder);
      const dates = names
        .map((file) => dateOf(file, this.#name))
        .filter((date) => date !== undefined);
      const surplus = dates.toSorted(byDate).slice(0, -LOG_FILES_MAX);
      const paths = surplus.map((date) => join(this.#folder, datedName(this.#name, date)));
      await Promise.all(paths.map((path) => rm(path, { force: true })));
    } catch (error) {
      this.#report(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #today(): string {
    return new Date(this.#clock.now()).toISOString().slice(0, 10);
  }

  #path(): string {
    return join(this.#folder, datedName(this.#name, { day: this.#day, part: this.#part }));
  }
}

/**
 * When the process exits, the library writes all waiting lines. It would throw if the file is not
 * open, as when it cannot be opened.
 */
function openedStream(path: string): FileStream {
  const stream = pino.destination({ dest: path, sync: false });
  const flushSync = stream.flushSync.bind(stream);
  stream.flushSync = () => undefined;
  stream.once('ready', () => {
    stream.flushSync = flushSync;
  });
  return stream;
}

/** The day of a log file, and its number on that day, from 1 on. */
export interface LogDate {
  /** UTC, such as `2026-11-20`. */
  readonly day: string;
  readonly part: number;
}

/**
 * The first file of a day is `<name>-2026-11-20.log`, the next one `<name>-2026-11-20.2.log`.
 */
function datedName(log: string, { day, part }: LogDate): string {
  return part === 1 ? `${log}-${day}.log` : `${log}-${day}.${part}.log`;
}

/** Undefined for a file of another log. */
export function dateOf(file: string, log: string): LogDate | undefined {
  const [, name, day = '', part = '1'] =
    /^(.*)-(\d{4}-\d\d-\d\d)(?:\.([1-9]\d{0,5}))?\.log$/.exec(file) ?? [];
  return name === log ? { day, part: Number(part) } : undefined;
}

/** For sorting: oldest first. */
export function byDate(a: LogDate, b: LogDate): number {
  if (a.day !== b.day) return a.day < b.day ? -1 : 1;
  return a.part - b.part;
}
