import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Clock } from '#base/clock.ts';
import { LOG_FILES_MAX } from '#base/limits.ts';

type FileStream = ReturnType<typeof pino.destination>;

/** The logger writes the time of a record next after its level. */
const LINE_DAY = /^\{"level":"\w+","time":"(\d{4}-\d\d-\d\d)T/;

/**
 * A log file for each day (UTC): `<folder>/<name>-2026-11-20.log`, the newest `LOG_FILES_MAX` of them kept. A file that
 * cannot be written is reported and never stops the server.
 */
export class DailyFile {
  readonly #folder: string;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #report: (error: Error) => void;
  #stream: FileStream;
  #day: string;
  #isBroken = false;
  #cleaning: Promise<void>;
  /** Of the days before. */
  #closing: Promise<unknown> = Promise.resolve();

  constructor(folder: string, name: string, clock: Clock, report: (error: Error) => void) {
    this.#folder = folder;
    this.#name = name;
    this.#clock = clock;
    this.#report = report;
    this.#day = this.#today();
    this.#stream = this.#open();
    this.#cleaning = this.#removeOldest();
  }

  /** Whether it takes what is logged. */
  get isWritten(): boolean {
    return !this.#isBroken;
  }

  /** Into the file of the day that the line itself tells, which is where one looks for it. */
  write(line: string): void {
    const day = LINE_DAY.exec(line)?.[1] ?? this.#today();
    if (day !== this.#day) {
      const before = this.#end();
      this.#closing = Promise.all([this.#closing, before]);
      this.#day = day;
      this.#isBroken = false;
      this.#stream = this.#open();
      this.#cleaning = this.#cleaning.then(() => this.#removeOldest());
    }
    if (!this.#isBroken) this.#stream.write(line);
  }

  async close(): Promise<void> {
    await this.#cleaning;
    await Promise.all([this.#closing, this.#end()]);
  }

  #open(): FileStream {
    const stream = openedStream(this.#path());
    // One of a day before that fails late says nothing of this one.
    stream.on('error', (error: Error) => this.#fail(stream, error));
    return stream;
  }

  /** Resolves once what waits is written. */
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

  /** Nothing more is written before the next day: the report itself is a line, which must not fail again. */
  #fail(stream: FileStream, error: Error): void {
    if (stream === this.#stream) {
      if (this.#isBroken) return;
      this.#isBroken = true;
    }
    this.#report(error);
  }

  async #removeOldest(): Promise<void> {
    const pattern = /-\d{4}-\d\d-\d\d\.log$/;
    try {
      const names = await readdir(this.#folder);
      const own = names.filter(
        (name) => name.replace(pattern, '') === this.#name && pattern.test(name),
      );
      const surplus = own.toSorted().slice(0, -LOG_FILES_MAX);
      await Promise.all(surplus.map((name) => rm(join(this.#folder, name), { force: true })));
    } catch (error) {
      this.#report(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #today(): string {
    return new Date(this.#clock.now()).toISOString().slice(0, 10);
  }

  #path(): string {
    return join(this.#folder, `${this.#name}-${this.#day}.log`);
  }
}

/** At an exit the library writes out what waits, and throws when the file is not open, as one that cannot be is never. */
function openedStream(path: string): FileStream {
  const stream = pino.destination({ dest: path, sync: false });
  const flushSync = stream.flushSync.bind(stream);
  stream.flushSync = () => undefined;
  stream.once('ready', () => {
    stream.flushSync = flushSync;
  });
  return stream;
}
