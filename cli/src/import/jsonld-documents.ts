import { CommandFailure } from '../failure.ts';
import type { InputFile } from './input-file.ts';
import { readLines } from './jsonl-source.ts';

/** A file of others is held in memory, since its context may stand at its end. */
const OTHER_BYTES_MAX = 64 * 1024 * 1024;
/** Of objects and lists in each other: each value costs as much as it lies deep. */
export const JSONLD_DEPTH_MAX = 64;
/** So an export begins. */
const EXPORT_HEAD = '[\n{"@id":"urn:trellis:graph"';

interface StreamingDocument {
  readonly text: string;
  /** Whether it is the whole file, which was read before. */
  readonly isWhole: boolean;
}

/**
 * The file as one document or several, which together say the same, and whose keys stand in the
 * order in which a stream can be read (Streaming JSON-LD, section 3). A parser that has to expect
 * any order takes time in proportion to the square of a document. Throws an `Error` that says what
 * is wrong.
 */
export async function* streamingDocuments(file: InputFile): AsyncGenerator<StreamingDocument> {
  if (await isExport(file)) {
    for await (const text of exportedDocuments(file)) yield { text, isWhole: false };
  } else {
    yield { text: inStreamingOrder(await textOf(file)), isWhole: true };
  }
}

async function isExport(file: InputFile): Promise<boolean> {
  for await (const chunk of file.chunks()) {
    return chunk.toString('utf8', 0, EXPORT_HEAD.length) === EXPORT_HEAD;
  }
  return false;
}

/** An export has the order already, and one object a line: it is never in memory as a whole. */
async function* exportedDocuments(file: InputFile): AsyncGenerator<string> {
  let isOver = false;
  for await (const lines of readLines(file)) {
    const objects: string[] = [];
    for (const { text, number } of lines) {
      if (number === 1) continue;
      const object = text.replace(/,$/, '');
      if (isOver || !(object === ']' || (object.startsWith('{') && object.endsWith('}')))) {
        throw new Error(
          `line ${number}: an export has one object on each line, and "]" at its end`,
        );
      }
      if (object === ']') isOver = true;
      else objects.push(object);
    }
    if (objects.length > 0) yield `[${objects.join()}]`;
  }
  if (!isOver) throw new Error('the export breaks off: there is no "]" at its end');
}

async function textOf(file: InputFile): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of file.chunks()) {
    bytes += chunk.length;
    if (bytes > OTHER_BYTES_MAX) {
      throw new CommandFailure(
        `${file.name}: JSON-LD that is no export of Trellis may have ${OTHER_BYTES_MAX} bytes: make N-Quads of it`,
      );
    }
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new Error('not valid UTF-8', { cause });
  }
}

/** In each object the context, then the types, then the id, then everything else as it stood. */
function inStreamingOrder(text: string): string {
  let document: unknown;
  try {
    document = JSON.parse(text, keepNumber);
  } catch (cause) {
    if (cause instanceof RangeError) throw tooDeep();
    throw new Error(`not valid JSON: ${(cause as Error).message}`, { cause });
  }
  const aliases = new Aliases();
  aliases.find(document);
  const firsts = [new Set(['@context']), aliases.of('@type'), aliases.of('@id')];
  const rank = (key: string): number => {
    const found = firsts.findIndex((keys) => keys.has(key));
    return found < 0 ? firsts.length : found;
  };
  return written(document, rank, 0);
}

/** A number that JavaScript would write in another way: 1.0, or an id of many digits. */
class WrittenNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function keepNumber(_key: string, value: unknown, at?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || at?.source === undefined) return value;
  return String(value) === at.source ? value : new WrittenNumber(at.source);
}

/** As text of its own: an object of JavaScript has keys that are numbers before all others. */
function written(value: unknown, rank: (key: string) => number, depth: number): string {
  if (value instanceof WrittenNumber) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth >= JSONLD_DEPTH_MAX) throw tooDeep();
  if (Array.isArray(value)) return `[${value.map((one) => written(one, rank, depth + 1)).join()}]`;
  const members = Object.entries(value)
    .toSorted(([one], [other]) => rank(one) - rank(other))
    .map(([key, one]) => `${JSON.stringify(key)}:${written(one, rank, depth + 1)}`);
  return `{${members.join()}}`;
}

/** What contexts of a document call keywords; some of it may hold in parts of it only. */
class Aliases {
  /** The terms that stand for a keyword or another term. */
  readonly #terms = new Map<string, Set<string>>();

  find(value: unknown, depth = 0): void {
    if (typeof value !== 'object' || value === null) return;
    if (depth >= JSONLD_DEPTH_MAX) throw tooDeep();
    if (!Array.isArray(value) && '@context' in value) this.#add(value['@context']);
    for (const one of Object.values(value)) this.find(one, depth + 1);
  }

  of(keyword: string): Set<string> {
    const found = new Set([keyword]);
    // A set goes on with what is added to it meanwhile.
    for (const name of found) for (const term of this.#terms.get(name) ?? []) found.add(term);
    return found;
  }

  #add(context: unknown): void {
    for (const one of Array.isArray(context) ? context : [context]) {
      for (const [term, definition] of Object.entries(Object(one))) {
        const name: unknown =
          typeof definition === 'string' ? definition : Object(definition)['@id'];
        if (typeof name !== 'string') continue;
        const terms = this.#terms.get(name) ?? new Set();
        this.#terms.set(name, terms.add(term));
      }
    }
  }
}

function tooDeep(): Error {
  return new Error(`its values are in each other more than ${JSONLD_DEPTH_MAX} deep`);
}
