import type { FileHandle } from 'node:fs/promises';
import { LOG_PLACE_BYTES } from '#base/limits.ts';
import { headOf } from './log-lines.ts';

/**
 * Where in a log file the first line is that is not before a time (Unix epoch); the size where none
 * is. It reads a few blocks of it: lines are taken to be in the order of time.
 */
export async function placeOf(file: FileHandle, size: number, timeMs: number): Promise<number> {
  const block = Buffer.allocUnsafe(Math.min(size, LOG_PLACE_BYTES));
  // At `low` begins a line, and all before it are older; none that begins after `high` is.
  let [low, high] = [0, size];
  while (high - low > LOG_PLACE_BYTES) {
    const middle = low + Math.floor((high - low) / 2);
    const { value } = await timedLines(file, { begin: middle, isInLine: true }, size, block).next();
    if (value !== undefined && value.timeMs < timeMs) low = value.begin;
    else high = middle;
  }
  for await (const line of timedLines(file, { begin: low, isInLine: false }, size, block)) {
    if (line.timeMs >= timeMs) return line.begin;
  }
  return size;
}

interface TimedLine {
  readonly begin: number;
  readonly timeMs: number;
}

/** As much of a line as its time is in. */
const LINE_HEAD_BYTES = 100;
const NEWLINE = 0x0a;

/** The lines that have a time, from a place on. A line that the place is within is none of them. */
async function* timedLines(
  file: FileHandle,
  from: { readonly begin: number; readonly isInLine: boolean },
  size: number,
  buffer: Buffer,
): AsyncGenerator<TimedLine, undefined> {
  let { begin, isInLine } = from;
  while (begin < size) {
    const length = Math.min(buffer.length, size - begin);
    const { bytesRead } = await file.read(buffer, 0, length, begin);
    // Somebody else has shortened the file.
    if (bytesRead < length) return undefined;
    const block = buffer.subarray(0, length);
    let at = isInLine ? block.indexOf(NEWLINE) + 1 : 0;
    // Whether a line goes on after the block, of which no more is needed.
    let goesOn = isInLine && at === 0;
    while (!goesOn && at < length) {
      const end = block.indexOf(NEWLINE, at);
      // It is read again from its begin, unless that is where the block begins.
      if (end < 0 && at > 0) break;
      const head = headOf(block.toString('latin1', at, at + LINE_HEAD_BYTES));
      if (head !== undefined) yield { begin: begin + at, timeMs: Date.parse(head.at) };
      goesOn = end < 0;
      at = end + 1;
    }
    begin += goesOn ? length : at;
    isInLine = goesOn;
  }
  return undefined;
}
