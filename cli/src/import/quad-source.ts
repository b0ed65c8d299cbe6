import { RDF } from '@trellis/contract/rdf-terms.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { CommandFailure, WrongUsage } from '../failure.ts';
import { ExportedQuads } from './exported-quads.ts';
import type { ImportItem, ImportSource, RejectFormat } from './import-source.ts';
import type { InputFile } from './input-file.ts';
import { OtherQuads } from './other-quads.ts';
import type { Quad } from './quads.ts';
import { ToldSchema } from './told-schema.ts';

/** A statement of a file, or what is wrong with the place where one should be. */
export interface ReadQuad {
  readonly place: number;
  /** As it stood in the file. */
  readonly text?: string;
  readonly quad?: Quad;
  readonly problem?: string;
}

/** How a file of statements in RDF is read. */
export interface QuadReading {
  /** "N-Quads". */
  readonly format: string;
  /** What is not there is read past; in groups, as they are read. */
  readonly read: (file: InputFile) => AsyncIterable<readonly ReadQuad[]>;
  readonly locate: (place: number) => string;
  readonly rejects?: RejectFormat;
}

interface Quads {
  add(quad: Quad): GraphOperation[];
  take(): GraphOperation[];
}

/**
 * Statements in RDF: as an export wrote them, or any others, whose nodes become of one type. They
 * are read twice.
 */
export function quadSource(file: InputFile, type: string, reading: QuadReading): ImportSource {
  const told = new ToldSchema();
  let found: SchemaDocument | undefined;
  const quadsOf = async (isExport: boolean): Promise<Quads> => {
    if (isExport) return exportedQuads(told);
    const others = await surveyed(file, type, reading);
    found = others.schema();
    return others;
  };
  return {
    name: file.name,
    identity: file.identity,
    ...(reading.rejects !== undefined && { rejects: reading.rejects }),
    async *items() {
      const first = await firstQuad(file, reading);
      yield* itemsOf(file, await quadsOf(first?.subject.value === RDF.graph), reading);
    },
    progress: () => ({ done: file.bytesRead, total: file.bytesTotal }),
    tellsSchema: true,
    takeSchema: () => {
      const schema = found ?? told.take();
      found = undefined;
      return schema;
    },
    locate: reading.locate,
  };
}

function exportedQuads(told: ToldSchema): Quads {
  const quads = new ExportedQuads(told);
  const list = (operation: GraphOperation | undefined): GraphOperation[] =>
    operation === undefined ? [] : [operation];
  return { add: (quad) => list(quads.add(quad)), take: () => list(quads.take()) };
}

async function* itemsOf(
  file: InputFile,
  quads: Quads,
  { read }: QuadReading,
): AsyncGenerator<ImportItem[]> {
  // Of the node that is spoken of: what comes of it has the place where it began.
  let begin: ReadQuad = { place: 1 };
  let subject: string | undefined;
  const at = ({ place, text }: ReadQuad) => ({ place, ...(text !== undefined && { row: text }) });
  const done = (operations: readonly GraphOperation[]): ImportItem[] =>
    operations.map((operation) => ({ ...at(begin), operation }));
  for await (const group of read(file)) {
    const items: ImportItem[] = [];
    for (const one of group) {
      const { quad, problem } = one;
      if (problem !== undefined) items.push({ ...at(one), problem });
      if (quad === undefined) continue;
      try {
        items.push(...done(quads.add(quad)));
        if (quad.subject.value !== subject) begin = one;
        subject = quad.subject.value;
      } catch (error) {
        items.push({ ...at(one), problem: (error as Error).message });
      }
    }
    yield items;
  }
  yield done(quads.take());
}

async function firstQuad(
  file: InputFile,
  { read, format }: QuadReading,
): Promise<Quad | undefined> {
  if (file.identity === undefined) {
    throw new WrongUsage(
      `${format} cannot be read from standard input`,
      'Statements are read twice: save them to a file.',
    );
  }
  for await (const group of read(file)) {
    const found = group.find(({ quad }) => quad !== undefined);
    if (found !== undefined) return found.quad;
  }
  return undefined;
}

async function surveyed(file: InputFile, type: string, reading: QuadReading): Promise<OtherQuads> {
  const quads = new OtherQuads(type);
  for await (const group of reading.read(file)) {
    for (const { place, quad } of group) {
      // Faults are told of when operations are made.
      if (quad === undefined) continue;
      try {
        quads.survey(quad);
      } catch (cause) {
        const { message } = cause as Error;
        throw new CommandFailure(`${reading.locate(place)}: ${message}`, { cause });
      }
    }
  }
  return quads;
}
