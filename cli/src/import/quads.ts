/** A part of a statement in RDF. */
export type Term =
  | { readonly kind: 'iri' | 'blank'; readonly value: string }
  | {
      readonly kind: 'literal';
      readonly value: string;
      /** An IRI; absent of plain text. */
      readonly datatype?: string;
      readonly language?: string;
    };

export interface Quad {
  readonly subject: Term;
  readonly predicate: Term;
  readonly object: Term;
  readonly graph?: Term;
}

/** Of what is said of one node, or one edge, together. */
const SAID_CHARACTERS_MAX = 16 * 1024 * 1024;
/** What each statement takes in memory, however short it is. */
const STATEMENT_CHARACTERS = 8;

/** Counts what is said of one node or edge, which is in memory until all of it is said. */
export class SaidOfOne {
  #characters = 0;

  /** Throws an `Error` when it is too much. */
  count({ value }: Term): void {
    this.#characters += value.length + STATEMENT_CHARACTERS;
    if (this.#characters > SAID_CHARACTERS_MAX) throw new Error('too much is said of one node');
  }
}

/**
 * The statement of one line of N-Quads (RDF 1.1, so N-Triples too); undefined of a line without
 * one. Takes time in proportion to the line. Throws an `Error` that says what is wrong.
 */
export function parseQuad(line: string): Quad | undefined {
  const reader = new TermReader(line);
  if (reader.isAtEnd()) return undefined;
  const subject = reader.term('the subject');
  if (subject.kind === 'literal') throw new Error('the subject is a literal');
  const predicate = reader.term('the predicate');
  if (predicate.kind !== 'iri') throw new Error('the predicate is no IRI');
  const object = reader.term('the object');
  if (reader.takesEnd()) return { subject, predicate, object };
  const graph = reader.term('the graph, or the dot at the end');
  if (graph.kind === 'literal') throw new Error('the name of the graph is a literal');
  if (!reader.takesEnd()) throw new Error('the dot at the end is missing');
  return { subject, predicate, object, graph };
}

const BLANK = /_:([\p{L}\p{N}_:](?:[\p{L}\p{M}\p{N}_:.\-\u00b7]*[\p{L}\p{M}\p{N}_:\-\u00b7])?)/uy;
const LANGUAGE = /@([A-Za-z]+(?:-[A-Za-z0-9]+)*)/y;
const SPACE = /[ \t]*/y;
const NOT_IN_IRI = /[<>"{}|^`]|[^\u0021-\u{10ffff}]/u;

class TermReader {
  readonly #line: string;
  #at = 0;

  constructor(line: string) {
    this.#line = line;
    this.#skipSpace();
  }

  /** Whether nothing is left but a comment. */
  isAtEnd(): boolean {
    return this.#at >= this.#line.length || this.#line[this.#at] === '#';
  }

  takesEnd(): boolean {
    if (this.#line[this.#at] !== '.') return false;
    this.#at++;
    this.#skipSpace();
    if (this.isAtEnd()) return true;
    throw new Error('something stands after the dot: each line has one statement');
  }

  term(what: string): Term {
    const term = this.#term();
    if (term === undefined)
      throw new Error(`${what} is missing, or not written as N-Quads have it`);
    this.#skipSpace();
    return term;
  }

  #term(): Term | undefined {
    switch (this.#line[this.#at]) {
      case '<':
        return { kind: 'iri', value: this.#iri() };
      case '_': {
        const label = this.#match(BLANK);
        return label === undefined ? undefined : { kind: 'blank', value: label };
      }
      case '"':
        return this.#literal();
      default:
        return undefined;
    }
  }

  #iri(): string {
    const end = this.#line.indexOf('>', this.#at);
    if (end < 0) throw new Error('an IRI does not end');
    const iri = this.#line.slice(this.#at + 1, end);
    this.#at = end + 1;
    if (NOT_IN_IRI.test(iri)) throw new Error(`an IRI has a character that none may have`);
    return unescaped(iri, false);
  }

  #literal(): Term {
    let end = this.#line.indexOf('"', this.#at + 1);
    while (end >= 0 && this.#isEscaped(end)) end = this.#line.indexOf('"', end + 1);
    if (end < 0) throw new Error('a literal does not end');
    const value = unescaped(this.#line.slice(this.#at + 1, end), true);
    this.#at = end + 1;
    const language = this.#match(LANGUAGE);
    if (language !== undefined) return { kind: 'literal', value, language };
    if (!this.#line.startsWith('^^', this.#at)) return { kind: 'literal', value };
    this.#at += 2;
    if (this.#line[this.#at] !== '<') throw new Error('the type of a literal is no IRI');
    return { kind: 'literal', value, datatype: this.#iri() };
  }

  #isEscaped(at: number): boolean {
    let before = at;
    while (this.#line[before - 1] === '\\') before--;
    return (at - before) % 2 === 1;
  }

  #skipSpace(): void {
    SPACE.lastIndex = this.#at;
    this.#at += SPACE.exec(this.#line)?.[0].length ?? 0;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#line);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match[1];
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  t: '\t',
  b: '\b',
  n: '\n',
  r: '\r',
  f: '\f',
  '"': '"',
  "'": "'",
  '\\': '\\',
};

/** In IRIs only characters by their number may be escaped. */
function unescaped(text: string, isLiteral: boolean): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(
    /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))/gsu,
    (whole, short?: string, long?: string, letter?: string) => {
      const number = Number.parseInt(short ?? long ?? '', 16);
      if (!Number.isNaN(number) && number <= 0x10_ffff) return String.fromCodePoint(number);
      const character = isLiteral ? ESCAPES[letter ?? ''] : undefined;
      if (character === undefined) throw new Error(`${whole} stands for no character`);
      return character;
    },
  );
}
