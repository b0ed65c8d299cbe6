import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';

/** The line and column of an offset in UTF-16 units. */
export function positionAt(source: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = source.indexOf('\n'); at >= 0 && at < offset; at = source.indexOf('\n', start)) {
    line++;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}

/** A broken rule of this server. */
export function ruleBroken(source: string, offset: number, message: string): Diagnostic {
  return { ...positionAt(source, offset), code: 0, message };
}

/** The offset of a line and column; undefined for a place that the source does not have. */
export function offsetAt(source: string, line: number, column: number): number | undefined {
  let start = 0;
  for (let before = line - 1; before > 0; before--) {
    const end = source.indexOf('\n', start);
    if (end < 0) return undefined;
    start = end + 1;
  }
  const end = source.indexOf('\n', start);
  const offset = start + column - 1;
  return offset <= (end < 0 ? source.length : end) ? offset : undefined;
}
