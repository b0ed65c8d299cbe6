import type { Clock } from '#base/clock.ts';
import type { CommitLog, LogRecord } from '../commit-log.ts';
import type { ArchiveRule } from '../retention.ts';

/**
 * An engine as the conformance suite sees it: it makes a place for a log and opens the log there.
 */
export interface LogEngine {
  createMedium(): Promise<LogMedium>;
  /** A medium with room for about this many bytes. */
  createSmallMedium(bytes: number): Promise<LogMedium>;
  /** Why this machine offers no small medium; absent when it does. */
  readonly whyNoSmallMedium?: string | undefined;
}

/** Where an engine keeps a log; opening again, after the log was disposed, is a restart. */
export interface LogMedium extends AsyncDisposable {
  open(settings: LogSettings): Promise<CommitLog>;
}

export interface LogSettings {
  readonly clock: Clock;
  readonly archive: ArchiveRule;
  readonly segmentBytesMax: number;
}

export const KEEP_ALL: ArchiveRule = { ttlMs: Infinity, bytesMax: Infinity };
export const KEEP_NONE: ArchiveRule = { ttlMs: Infinity, bytesMax: 0 };

export class TestClock implements Clock {
  time = 1_800_000_000_000;
  now(): number {
    return this.time;
  }
}

/**
 * Settings of a log that keeps everything, in segments of a thousand bytes; `some` replaces single
 * settings.
 */
export function settings(some: Partial<LogSettings> = {}): LogSettings {
  return { clock: new TestClock(), archive: KEEP_ALL, segmentBytesMax: 1_000, ...some };
}

/** All records that the log holds, or those from a sequence on. */
export async function readAll(log: CommitLog, from = log.firstSequence): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for await (const record of log.read(from)) records.push(record);
  return records;
}

export function filled(length: number, value = 7): Uint8Array {
  return new Uint8Array(length).fill(value);
}
