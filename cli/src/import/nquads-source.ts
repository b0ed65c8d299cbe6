import type { ImportSource } from './import-source.ts';
import type { InputFile } from './input-file.ts';
import { type Line, LINES_OF_TEXT, readLines } from './jsonl-source.ts';
import { quadSource, type ReadQuad } from './quad-source.ts';
import { parseQuad } from './quads.ts';

/** N-Quads: as an export wrote them, or any others. */
export function nquadsSource(file: InputFile, type: string): ImportSource {
  return quadSource(file, type, {
    format: 'N-Quads',
    read: readStatements,
    locate: (line) => `${file.name}:${line}`,
    rejects: LINES_OF_TEXT,
  });
}

async function* readStatements(file: InputFile): AsyncGenerator<ReadQuad[]> {
  for await (const lines of readLines(file)) yield lines.map(statementOf);
}

function statementOf({ number, text }: Line): ReadQuad {
  const at = { place: number, text };
  try {
    const quad = parseQuad(text);
    return quad === undefined ? at : { ...at, quad };
  } catch (error) {
    return { ...at, problem: (error as Error).message };
  }
}
