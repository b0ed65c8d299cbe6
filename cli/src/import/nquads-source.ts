import { RDF } from '@trellis/contract/rdf-terms.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { CommandFailure, WrongUsage } from '../failure.ts';
import { ExportedQuads } from './exported-quads.ts';
import type { ImportItem, ImportSource } from './import-source.ts';
import type { InputFile } from './input-file.ts';
import { type Line, LINES_OF_TEXT, readLines } from './jsonl-source.ts';
import { OtherQuads } from './other-quads.ts';
import { parseQuad, type Quad } from './quads.ts';
import { ToldSchema } from './told-schema.ts';

interface Quads {
  add(quad: Quad): GraphOperation[];
  take(): GraphOperation[];
}

/** N-Quads: as an export wrote them, or any others, whose nodes become of one type. */
export function nquadsSource(file: InputFile, type: string): ImportSource {
  const told = new ToldSchema();
  let found: SchemaDocument | undefined;
  const quadsOf = async (isExport: boolean): Promise<Quads> => {
    if (isExport) return exportedQuads(told);
    const others = await surveyed(file, type);
    found = others.schema();
    return others;
  };
  return {
    name: file.name,
    identity: file.identity,
    rejects: LINES_OF_TEXT,
    async *items() {
      const first = await firstQuad(file);
      yield* itemsOf(file, await quadsOf(first?.subject.value === RDF.graph));
    },
    progress: () => ({ done: file.bytesRead, total: file.bytesTotal }),
    tellsSchema: true,
    takeSchema: () => {
      const schema = found ?? told.take();
      found = undefined;
      return schema;
    },
    locate: (line) => `${file.name}:${line}`,
  };
}

function exportedQuads(told: ToldSchema): Quads {
  const quads = new ExportedQuads(told);
  const list = (operation: GraphOperation | undefined): GraphOperation[] =>
    operation === undefined ? [] : [operation];
  return { add: (quad) => list(quads.add(quad)), take: () => list(quads.take()) };
}

async function* itemsOf(file: InputFile, quads: Quads): AsyncGenerator<ImportItem[]> {
  // Of the node that is spoken of: what comes of it has the place where it began.
  let begin: Line = { number: 1, text: '' };
  let subject: string | undefined;
  const done = (operations: readonly GraphOperation[]): ImportItem[] =>
    operations.map((operation) => ({ place: begin.number, row: begin.text, operation }));
  for await (const lines of readLines(file)) {
    const items: ImportItem[] = [];
    for (const line of lines) {
      try {
        const quad = parseQuad(line.text);
        if (quad === undefined) continue;
        const operations = quads.add(quad);
        items.push(...done(operations));
        if (quad.subject.value !== subject) begin = line;
        subject = quad.subject.value;
      } catch (error) {
        items.push({ place: line.number, row: line.text, problem: (error as Error).message });
      }
    }
    yield items;
  }
  yield done(quads.take());
}

async function firstQuad(file: InputFile): Promise<Quad | undefined> {
  if (file.identity === undefined) {
    throw new WrongUsage(
      'N-Quads cannot be read from standard input',
      'They are read twice: save them to a file.',
    );
  }
  for await (const lines of readLines(file)) {
    for (const { text } of lines) {
      const quad = quadIn(text);
      if (quad !== undefined) return quad;
    }
  }
  return undefined;
}

async function surveyed(file: InputFile, type: string): Promise<OtherQuads> {
  const quads = new OtherQuads(type);
  for await (const lines of readLines(file)) {
    for (const { text, number } of lines) {
      const quad = quadIn(text);
      if (quad === undefined) continue;
      try {
        quads.survey(quad);
      } catch (cause) {
        const { message } = cause as Error;
        throw new CommandFailure(`${file.name}:${number}: ${message}`, { cause });
      }
    }
  }
  return quads;
}

/** Faults are told of when operations are made. */
function quadIn(text: string): Quad | undefined {
  try {
    return parseQuad(text);
  } catch {
    return undefined;
  }
}
