import { GRAPHML_NAMES } from '@trellis/contract/graphml-names.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { CommandFailure } from '../failure.ts';
import {
  ExportedElements,
  type GraphmlElements,
  type GraphmlKey,
  OtherElements,
  type OtherElementsOptions,
} from './graphml-elements.ts';
import { GraphmlFault, type GraphmlPart, GraphmlReader } from './graphml-reader.ts';
import type { ImportItem, ImportSource } from './import-source.ts';
import type { InputFile } from './input-file.ts';
import { LINES_OF_TEXT } from './jsonl-source.ts';
import { ToldSchema } from './told-schema.ts';

/** Keys of GraphML, of nodes and edges together. */
export const GRAPHML_KEYS_MAX = 10_000;

/**
 * GraphML, as an export wrote it, or other programs. `known` is the schema of the server: programs
 * that write an export again leave the schema out of it.
 */
export function graphmlSource(
  file: InputFile,
  options: OtherElementsOptions,
  known: SchemaDocument = { nodes: [], edges: [] },
): ImportSource {
  const graph = new GraphmlGraph(options, known);
  return {
    name: file.name,
    identity: file.identity,
    rejects: LINES_OF_TEXT,
    async *items() {
      for await (const parts of partsOf(file)) yield parts.flatMap((part) => graph.itemsOf(part));
    },
    progress: () => ({ done: file.bytesRead, total: file.bytesTotal }),
    tellsSchema: true,
    takeSchema: () => graph.takeSchema(),
    locate: (line) => `${file.name}:${line}`,
  };
}

async function* partsOf(file: InputFile): AsyncGenerator<readonly GraphmlPart[]> {
  const reader = new GraphmlReader();
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of file.chunks())
      yield reader.read(utf8.decode(chunk, { stream: true }));
    yield reader.read(utf8.decode());
    yield reader.end();
  } catch (cause) {
    const place = `${file.name}:${reader.line}`;
    if (cause instanceof GraphmlFault) {
      throw new CommandFailure(`${place}: ${cause.message}`, { cause });
    }
    if (!(cause instanceof TypeError)) throw cause;
    throw new CommandFailure(`${place}: not valid UTF-8, here or soon after`, { cause });
  }
}

/** One graph as it is read: its keys, its schema, and what makes operations of its elements. */
class GraphmlGraph {
  readonly #options: OtherElementsOptions;
  readonly #keys = new Map<string, GraphmlKey>();
  readonly #told: ToldSchema;
  #elements: GraphmlElements | undefined;
  #found: SchemaDocument | undefined;

  constructor(options: OtherElementsOptions, known: SchemaDocument) {
    this.#options = options;
    this.#told = new ToldSchema(known);
  }

  takeSchema(): SchemaDocument | undefined {
    const schema = this.#found ?? this.#told.take();
    this.#found = undefined;
    return schema;
  }

  itemsOf(part: GraphmlPart): ImportItem[] {
    const { line } = part;
    try {
      return this.#operationsOf(part).map((operation) => ({ place: line, row: '', operation }));
    } catch (error) {
      return [{ place: line, row: '', problem: (error as Error).message }];
    }
  }

  #operationsOf(part: GraphmlPart): GraphOperation[] {
    switch (part.kind) {
      case 'key':
        this.#addKey(part);
        return [];
      case 'data':
        if (this.#keys.get(part.key)?.name !== GRAPHML_NAMES.schema) return [];
        this.#told.add(JSON.parse(part.text));
        return [];
      case 'fault':
        throw new Error(part.problem);
      case 'node':
        return this.#made().node(part);
      case 'edge':
        return this.#made().edge(part);
    }
  }

  #addKey(key: GraphmlKey): void {
    if (this.#elements !== undefined) throw new Error('a <key> stands after the first node');
    if (this.#keys.has(key.id)) throw new Error(`two keys have the id "${key.id.slice(0, 100)}"`);
    if (this.#keys.size >= GRAPHML_KEYS_MAX) {
      throw new Error(`there are more than ${GRAPHML_KEYS_MAX} keys`);
    }
    this.#keys.set(key.id, key);
  }

  #made(): GraphmlElements {
    if (this.#elements !== undefined) return this.#elements;
    const isExport = [...this.#keys.values()].some(({ name }) => name === GRAPHML_NAMES.type);
    if (isExport) return (this.#elements = new ExportedElements(this.#keys, this.#told));
    const others = new OtherElements(this.#keys, this.#options);
    this.#found = others.schema();
    return (this.#elements = others);
  }
}
