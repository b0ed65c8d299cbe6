import { pipeline, Readable } from 'node:stream';
import { RDF } from '@trellis/contract/rdf-terms.ts';
import { JsonLdParser } from 'jsonld-streaming-parser';
import { CommandFailure } from '../failure.ts';
import type { ImportSource } from './import-source.ts';
import type { InputFile } from './input-file.ts';
import { streamingDocuments } from './jsonld-documents.ts';
import { quadSource, type ReadQuad } from './quad-source.ts';
import type { Quad, Term } from './quads.ts';

/** Statements are given on in groups of so many. */
const GROUP = 1_000;
const PIECE_BYTES = 16 * 1024;

/** JSON-LD 1.1: as an export wrote it, or any other. Contexts of other servers are not fetched. */
export function jsonldSource(file: InputFile, type: string): ImportSource {
  const parsed: ParsedShare = { ofFile: 1 };
  return {
    ...quadSource(file, type, {
      format: 'JSON-LD',
      read: (input) => readStatements(input, parsed),
      locate: (statement) => `${file.name}: statement ${statement}`,
    }),
    progress: () => ({ done: Math.floor(file.bytesRead * parsed.ofFile), total: file.bytesTotal }),
  };
}

/** How much was parsed of what was read: a file of others is read as a whole first. */
interface ParsedShare {
  /** From 0 to 1. */
  ofFile: number;
}

async function* readStatements(file: InputFile, parsed: ParsedShare): AsyncGenerator<ReadQuad[]> {
  let place = 0;
  let group: ReadQuad[] = [];
  try {
    for await (const quad of statementsIn(file, parsed)) {
      group.push({ place: ++place, quad });
      if (group.length < GROUP) continue;
      yield group;
      group = [];
    }
  } catch (cause) {
    if (cause instanceof CommandFailure) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(`${file.name}: after statement ${place}: ${message}`, { cause });
  }
  yield group;
}

/** Throws an `Error` that says what is wrong. */
export async function* statementsIn(
  file: InputFile,
  parsed: ParsedShare = { ofFile: 1 },
): AsyncGenerator<Quad> {
  for await (const { text, isWhole } of streamingDocuments(file)) {
    const onParsed = (share: number): void => void (parsed.ofFile = share);
    yield* statementsOf(text, isWhole ? onParsed : undefined);
  }
}

async function* statementsOf(
  document: string,
  onParsed: ((share: number) => void) | undefined,
): AsyncGenerator<Quad> {
  // Its parser of JSON makes buffers in a way of which Node warns.
  process.noDeprecation = true;
  const parser = new JsonLdParser({
    streamingProfile: true,
    documentLoader: { load: refuseContext },
  });
  // What goes wrong comes out of the parser.
  pipeline(Readable.from(piecesOf(document, onParsed), { objectMode: false }), parser, () => {});
  const quads: AsyncIterable<RdfQuad> = parser;
  // The parser gives the type of a node last, and the values of its fields go by it.
  let ofOne: Quad[] = [];
  for await (const one of quads) {
    const quad = quadOf(one);
    if (ofOne[0]?.subject.value !== quad.subject.value) {
      yield* typesFirst(ofOne);
      ofOne = [];
    }
    ofOne.push(quad);
  }
  yield* typesFirst(ofOne);
}

/** The parser keeps something for each value of a piece until it has done them all. */
function* piecesOf(
  document: string,
  onParsed: ((share: number) => void) | undefined,
): Generator<Buffer, void, undefined> {
  const bytes = Buffer.from(document);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    onParsed?.(at / bytes.length);
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
  onParsed?.(1);
}

function typesFirst(quads: readonly Quad[]): Quad[] {
  const isType = ({ predicate, graph }: Quad): boolean =>
    graph === undefined && predicate.value === RDF.type;
  return [...quads.filter(isType), ...quads.filter((quad) => !isType(quad))];
}

function refuseContext(url: string): Promise<never> {
  const message = `the context ${url.slice(0, 200)} is on another server, and is not fetched: write it into the file`;
  return Promise.reject(new Error(message));
}

/** As the parser gives them (RDF/JS: Data model specification). */
interface RdfTerm {
  readonly termType: string;
  readonly value: string;
  readonly language?: string;
  readonly datatype?: { readonly value: string };
}

type RdfQuad = Readonly<Record<'subject' | 'predicate' | 'object' | 'graph', RdfTerm>>;

export function quadOf({ subject, predicate, object, graph }: RdfQuad): Quad {
  const statement = {
    subject: termOf(subject),
    predicate: termOf(predicate),
    object: termOf(object),
  };
  return graph.termType === 'DefaultGraph' ? statement : { ...statement, graph: termOf(graph) };
}

function termOf({ termType, value, language = '', datatype }: RdfTerm): Term {
  switch (termType) {
    case 'NamedNode':
      return { kind: 'iri', value };
    case 'BlankNode':
      return { kind: 'blank', value };
    case 'Literal':
      if (language !== '') return { kind: 'literal', value, language };
      if (datatype === undefined || datatype.value === RDF.string)
        return { kind: 'literal', value };
      return { kind: 'literal', value, datatype: datatype.value };
    default:
      throw new Error(`a statement has a ${termType}`);
  }
}
