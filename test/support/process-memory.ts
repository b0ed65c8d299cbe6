import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';

const PIECE_BYTES = 4 * 1024 * 1024;

/** The processes below one, on Linux. */
export function processesBelow(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // The name of the command, in brackets, may hold anything.
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\)/s, '');
      parents.set(Number(name), Number(stat.split(' ')[2]));
    } catch {
      // It has ended.
    }
  }
  const below = (above: number): number[] =>
    [...parents].flatMap(([child, parent]) => (parent === above ? [child, ...below(child)] : []));
  return below(pid);
}

/**
 * Which of some texts are anywhere in the memory that a process can read: one byte a character, or
 * two. Files of LMDB that it has mapped are left out.
 */
export function textsInMemory(pid: number, texts: readonly string[]): Set<string> {
  const found = new Set<string>();
  const needles = texts.map(
    (text) => [text, Buffer.from(text), Buffer.from(text, 'utf16le')] as const,
  );
  const longest = Math.max(...needles.map(([, , wide]) => wide.length));
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const { start, end } of regionsOf(pid)) {
      for (let at = start; at < end; at += PIECE_BYTES - longest) {
        const piece = Buffer.alloc(Math.min(PIECE_BYTES, end - at));
        let bytes: number;
        try {
          bytes = readSync(memory, piece, 0, piece.length, at);
        } catch {
          // Nothing is behind these addresses.
          break;
        }
        const read = piece.subarray(0, bytes);
        for (const [text, narrow, wide] of needles) {
          if (read.includes(narrow) || read.includes(wide)) found.add(text);
        }
      }
    }
  } finally {
    closeSync(memory);
  }
  return found;
}

function regionsOf(pid: number): { readonly start: number; readonly end: number }[] {
  return readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, from = '', to = '', rights = '', name = ''] =
        /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+\s*(.*)$/.exec(line) ?? [];
      if (!rights.startsWith('r') || name.endsWith('.mdb') || name.startsWith('[v')) return [];
      return [{ start: Number.parseInt(from, 16), end: Number.parseInt(to, 16) }];
    });
}
