import { Parser } from 'htmlparser2';

/** What GraphML has, as it is read; lines count from 1. */
export type GraphmlPart =
  | {
      readonly kind: 'key';
      readonly line: number;
      readonly id: string;
      readonly for: string;
      readonly name: string;
      readonly type: string;
      readonly default: string | undefined;
    }
  /** What is said of the graph itself. */
  | { readonly kind: 'data'; readonly line: number; readonly key: string; readonly text: string }
  | (GraphmlElement & { readonly kind: 'node' })
  | (GraphmlElement & { readonly kind: 'edge' })
  | { readonly kind: 'fault'; readonly line: number; readonly problem: string };

export interface GraphmlElement {
  readonly line: number;
  readonly attributes: Readonly<Record<string, string>>;
  /** By the id of the key. */
  readonly data: ReadonlyMap<string, string>;
}

/** What ends the reading, whatever may follow. */
export class GraphmlFault extends Error {}

/** Graphs may be in nodes, and those of others have elements of their own in their data. */
export const GRAPHML_DEPTH_MAX = 64;
/** Of one element with its data, and of one tag. */
export const GRAPHML_ELEMENT_CHARACTERS_MAX = 32 * 1024 * 1024;

interface Open {
  readonly name: string;
  readonly line: number;
  readonly attributes: Readonly<Record<string, string>>;
  readonly data: Map<string, string>;
  text: string;
}

/**
 * Reads GraphML from pieces of text that may end anywhere. It knows the entities of XML and no
 * others, and refuses a document type, which could declare some; it fetches nothing.
 */
export class GraphmlReader {
  readonly #parser: Parser;
  readonly #open: Open[] = [];
  #parts: GraphmlPart[] = [];
  #isEnding = false;
  #isWhole = false;
  #characters = 0;
  /** The piece that is read, where it begins in the text, and where its line ends that is read. */
  #piece = '';
  #begin = 0;
  #lineEnd = Infinity;
  #line = 1;

  constructor() {
    this.#parser = new Parser(
      {
        onprocessinginstruction: (name, text) => this.#instruct(name, text),
        onopentag: (name, attributes) => this.#openTag(name, attributes),
        ontext: (text) => this.#addText(text),
        onclosetag: () => this.#closeTag(),
      },
      { xmlMode: true, decodeEntities: true },
    );
  }

  get line(): number {
    return this.#line;
  }

  /** Throws `GraphmlFault`. */
  read(piece: string): readonly GraphmlPart[] {
    this.#begin += this.#piece.length;
    this.#piece = piece;
    this.#lineEnd = this.#lineEndAfter(0);
    this.#parser.write(piece);
    const waiting = this.#begin + piece.length - this.#parser.endIndex;
    if (waiting > GRAPHML_ELEMENT_CHARACTERS_MAX) throw tooLarge();
    this.#countLines(this.#begin + piece.length);
    return this.#take();
  }

  /** Throws `GraphmlFault` when something is still to come. */
  end(): readonly GraphmlPart[] {
    this.#isEnding = true;
    const [open] = this.#open.slice(-1);
    if (open !== undefined) throw new GraphmlFault(`the file ends within <${open.name}>`);
    this.#parser.end();
    if (!this.#isWhole) throw new GraphmlFault('this is no GraphML: there is no <graphml>');
    return this.#take();
  }

  #take(): readonly GraphmlPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #instruct(name: string, text: string): void {
    this.#countLines(this.#parser.startIndex);
    if (name.toLowerCase() === '!doctype') {
      throw new GraphmlFault(
        'it has a document type (<!DOCTYPE ...>), which is not read: remove it from the file',
      );
    }
    const encoding = /\bencoding\s*=\s*["']([^"']*)/.exec(text)?.[1] ?? 'UTF-8';
    if (name === '?xml' && !/^(?:utf-?8|us-ascii)$/i.test(encoding)) {
      throw new GraphmlFault(`it is in ${encoding.slice(0, 40)}: convert it to UTF-8`);
    }
  }

  #openTag(qualified: string, attributes: Readonly<Record<string, string>>): void {
    this.#countLines(this.#parser.startIndex);
    const name = qualified.replace(/^.*:/, '');
    if (this.#open.length === 0) {
      this.#characters = 0;
      if (name !== 'graphml') {
        throw new GraphmlFault(`this is no GraphML: it begins with <${name.slice(0, 40)}>`);
      }
    }
    if (this.#open.length >= GRAPHML_DEPTH_MAX) {
      throw new GraphmlFault(`elements are in each other more than ${GRAPHML_DEPTH_MAX} deep`);
    }
    if (name === 'node' || name === 'edge') this.#characters = 0;
    this.#open.push({ name, line: this.#line, attributes, data: new Map(), text: '' });
  }

  #addText(text: string): void {
    const top = this.#open.at(-1);
    if (top === undefined || (top.name !== 'data' && top.name !== 'default')) return;
    this.#characters += text.length;
    if (this.#characters > GRAPHML_ELEMENT_CHARACTERS_MAX) throw tooLarge();
    top.text += text;
  }

  #closeTag(): void {
    if (this.#isEnding) return;
    const closed = this.#open.pop();
    if (closed === undefined) return;
    const { name, line, attributes, data, text } = closed;
    const within = this.#open.at(-1);
    switch (name) {
      case 'graphml':
        this.#isWhole = this.#open.length === 0;
        return;
      case 'default':
        within?.data.set('default', text);
        return;
      case 'key':
        this.#characters = 0;
        this.#parts.push(keyOf(closed));
        return;
      case 'data': {
        const key = attributes['key'] ?? '';
        if (within?.name === 'node' || within?.name === 'edge') within.data.set(key, text);
        else if (within?.name === 'graph') this.#parts.push({ kind: 'data', line, key, text });
        if (within?.name === 'graph') this.#characters = 0;
        return;
      }
      case 'node':
      case 'edge':
        this.#parts.push({ kind: name, line, attributes, data });
        return;
      case 'hyperedge':
        this.#parts.push({
          kind: 'fault',
          line,
          problem: 'an edge here joins two nodes: make several of the <hyperedge>',
        });
    }
  }

  /** `index` is a place in the whole text. */
  #countLines(index: number): void {
    const end = index - this.#begin;
    while (this.#lineEnd < end) {
      this.#line++;
      this.#lineEnd = this.#lineEndAfter(this.#lineEnd + 1);
    }
  }

  /** Looked for once for each line: a file of one line has many elements in it. */
  #lineEndAfter(index: number): number {
    const end = this.#piece.indexOf('\n', index);
    return end < 0 ? Infinity : end;
  }
}

function keyOf({ line, attributes, data }: Open): GraphmlPart {
  const id = attributes['id'] ?? '';
  return {
    kind: 'key',
    line,
    id,
    for: attributes['for'] ?? 'all',
    name: attributes['attr.name'] ?? id,
    type: attributes['attr.type'] ?? 'string',
    default: data.get('default'),
  };
}

function tooLarge(): GraphmlFault {
  return new GraphmlFault(
    `an element or a text has more than ${GRAPHML_ELEMENT_CHARACTERS_MAX} characters`,
  );
}
