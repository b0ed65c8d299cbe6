import { open } from 'node:fs/promises';
import { LOG_BLOCK_BYTES, LOG_LINE_BYTES_MAX } from '#base/limits.ts';

export type Direction = 'forward' | 'backward';

interface FileLineLimits {
  readonly blockBytes: number;
  /** So much is held of a line that goes over several blocks. */
  readonly lineBytesMax: number;
}

const LIMITS = { blockBytes: LOG_BLOCK_BYTES, lineBytesMax: LOG_LINE_BYTES_MAX };
const NEWLINE = 0x0a;

/**
 * The lines of a file that may grow meanwhile, as it was when it was opened, in blocks: oldest
 * first, or newest first. A line that is longer than any of the logger's is left out; one without
 * an end of line is the last. A file that is not there has none.
 */
export async function* fileLines(
  path: string,
  direction: Direction,
  { blockBytes, lineBytesMax }: FileLineLimits = LIMITS,
): AsyncGenerator<string[]> {
  await using file = await open(path, 'r').catch(unlessGone);
  if (file === undefined) return;
  const { size } = await file.stat();
  const buffer = Buffer.allocUnsafe(Math.min(size, blockBytes));
  let rest: Buffer | undefined = Buffer.alloc(0);
  for (let done = 0; done < size;) {
    const length = Math.min(blockBytes, size - done);
    const position = direction === 'forward' ? done : size - done - length;
    const { bytesRead } = await file.read(buffer, 0, length, position);
    // It was cut short by somebody else.
    if (bytesRead < length) return;
    done += length;
    const cut = cutBlock(buffer.subarray(0, length), rest, direction);
    rest = cut.rest !== undefined && cut.rest.length > lineBytesMax ? undefined : cut.rest;
    if (cut.lines.length > 0) yield cut.lines;
  }
  const last = rest?.toString() ?? '';
  if (last !== '') yield [last];
}

/** Old files go while they are looked at: those are as if they had never been. */
export function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/**
 * The whole lines of a block, with what was left of the block before; `rest` is undefined within a
 * line that is too long.
 */
function cutBlock(block: Buffer, before: Buffer | undefined, direction: Direction) {
  const isForward = direction === 'forward';
  const end = isForward ? block.lastIndexOf(NEWLINE) : block.indexOf(NEWLINE);
  const join = (piece: Buffer): Buffer | undefined => {
    if (before === undefined) return undefined;
    return Buffer.concat(isForward ? [before, piece] : [piece, before]);
  };
  if (end < 0) return { lines: [], rest: join(block) };
  const edge = isForward ? block.indexOf(NEWLINE) : block.lastIndexOf(NEWLINE);
  const [joined, inner, rest] = isForward
    ? [join(block.subarray(0, edge)), block.subarray(edge + 1, end), block.subarray(end + 1)]
    : [join(block.subarray(edge + 1)), block.subarray(end + 1, edge), block.subarray(0, end)];
  const between = edge === end ? [] : inner.toString().split('\n');
  const first = joined === undefined ? [] : [joined.toString()];
  const lines = [...first, ...(isForward ? between : between.toReversed())];
  return { lines: lines.filter((line) => line !== ''), rest: Buffer.from(rest) };
}
