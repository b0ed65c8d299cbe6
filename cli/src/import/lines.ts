import { NDJSON_LINE_BYTES_MAX } from '@trellis/contract/limits.ts';
import { CommandFailure } from '../failure.ts';
import type { InputFile } from './input-file.ts';

export interface Line {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

/**
 * The lines of a text file, without blank ones, in groups as they are read. Line ends may be those
 * of Windows.
 */
export async function* readLines(file: InputFile): AsyncGenerator<Line[], void, undefined> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let number = 0;
  let rest = '';
  const split = (text: string): Line[] => {
    const lines: Line[] = [];
    for (const line of text.split('\n')) {
      number++;
      const trimmed = line.endsWith('\r') ? line.slice(0, -1) : line;
      if (trimmed.trim() !== '') lines.push({ text: trimmed, number });
    }
    return lines;
  };
  const decode = (chunk?: Buffer): string => {
    try {
      return chunk === undefined ? utf8.decode() : utf8.decode(chunk, { stream: true });
    } catch (cause) {
      const place = `${file.name}:${number + 1}`;
      throw new CommandFailure(`${place}: not valid UTF-8, here or soon after`, { cause });
    }
  };
  for await (const chunk of file.chunks()) {
    const text = rest + decode(chunk);
    const end = text.lastIndexOf('\n');
    rest = text.slice(end + 1);
    if (end >= 0) yield split(text.slice(0, end));
    if (rest.length > NDJSON_LINE_BYTES_MAX) {
      throw new CommandFailure(
        `${file.name}:${number + 1}: a line of more than ${NDJSON_LINE_BYTES_MAX} characters`,
      );
    }
  }
  rest += decode();
  if (rest !== '') yield split(rest);
}
