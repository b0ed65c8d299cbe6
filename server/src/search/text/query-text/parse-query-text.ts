import {
  SEARCH_QUERY_CHARACTERS_MAX,
  SEARCH_QUERY_DEPTH_MAX,
  SEARCH_QUERY_TERMS_MAX,
} from '#base/search-limits.ts';
import { Problem } from '#base/problem.ts';

/**
 * The parsed text of a query, before words are analyzed. Offsets are UTF-16 units, end excluded,
 * with quotes, brackets and signs.
 */
export type QueryNode =
  | WordNode
  | PrefixNode
  | PhraseNode
  | FieldNode
  | NotNode
  | ConjunctionNode
  | DisjunctionNode;

interface Placed {
  readonly start: number;
  readonly end: number;
}

/** Anything between spaces. Analysis may find several words in it, or none. */
export interface WordNode extends Placed {
  readonly kind: 'word';
  readonly text: string;
}

/** `config*`; the text is without the star. */
interface PrefixNode extends Placed {
  readonly kind: 'prefix';
  readonly text: string;
}

/** `"to be or"`; the text is what stands between the quotes. */
interface PhraseNode extends Placed {
  readonly kind: 'phrase';
  readonly text: string;
}

/** `title:word`. A field within it, as in `title:(a body:b)`, counts for its own node. */
interface FieldNode extends Placed {
  readonly kind: 'field';
  readonly field: string;
  readonly node: QueryNode;
}

interface NotNode extends Placed {
  readonly kind: 'not';
  readonly node: QueryNode;
}

/** Several in brackets, or none. */
interface ConjunctionNode extends Placed {
  readonly kind: 'and';
  readonly nodes: readonly QueryNode[];
}

/** `a OR b`: two or more. */
interface DisjunctionNode extends Placed {
  readonly kind: 'or';
  readonly nodes: readonly QueryNode[];
}

/** The words that join others when they stand between two of them. */
function isJoiner(text: string): boolean {
  return text === 'OR' || text === 'AND';
}

/** A text that parses to the same nodes. */
export function printQuery(nodes: readonly QueryNode[]): string {
  return nodes.map(printNode).join(' ');
}

function printNode(node: QueryNode): string {
  switch (node.kind) {
    case 'word':
      return isJoiner(node.text) ? `(${node.text})` : node.text;
    case 'prefix':
      return `${node.text}*`;
    case 'phrase':
      return `"${node.text}"`;
    case 'field':
      return `${node.field}:${printOperand(node.node, node.node.kind === 'field')}`;
    case 'not':
      return `-${printOperand(node.node, false)}`;
    case 'and':
      return `(${printQuery(node.nodes)})`;
    case 'or':
      return node.nodes
        .map((part) => (part.kind === 'or' ? `(${printNode(part)})` : printNode(part)))
        .join(' OR ');
  }
}

/** The operand after a sign or after a field's colon. */
function printOperand(node: QueryNode, needsBrackets: boolean): string {
  if (node.kind === 'word') return node.text;
  if (needsBrackets || node.kind === 'or' || node.kind === 'not') return `(${printNode(node)})`;
  return printNode(node);
}

/**
 * Parses the text of a query (open-shapes, section 6): words, `OR`, `-word`, `"phrase"`, `prefix*`,
 * `field:value`, brackets. All nodes of the result are required.
 *
 * - `OR` binds its two neighbors first, as in web search: `paris OR london hotel` means hotels in
 *   one of the two. `AND` is the same as a space. Without a word on both sides they are words.
 * - `name:` is a field if it is in `fieldNames` and no space follows; `http://a` is a word.
 * - Typographic and full-width quotes and brackets count as plain ones. An unpaired one separates
 *   words.
 *
 * Invalid syntax is read as words; the only error is `invalid_request` for a text beyond the
 * limits. Time is linear in the length of the text.
 */
export function parseQueryText(text: string, fieldNames: ReadonlySet<string>): QueryNode[] {
  if (text.length > SEARCH_QUERY_CHARACTERS_MAX) {
    throw tooLarge(`has ${text.length} characters`, `${SEARCH_QUERY_CHARACTERS_MAX} characters`);
  }
  return new QueryTextParser(text, fieldNames).parse(0, text.length);
}

/** The error for a query with too many words, as written or after analysis. */
export function tooManyWords(): Problem {
  return tooLarge('has too many words', `${SEARCH_QUERY_TERMS_MAX} words`);
}

function tooLarge(fault: string, limit: string): Problem {
  const message = `${fault}; at most ${limit} are searched`;
  return new Problem('invalid_request', `The query ${message}.`, {
    hint: 'Search for fewer words.',
    details: { fields: [{ path: 'request.query', message }] },
  });
}

class QueryTextParser {
  readonly #text: string;
  readonly #fieldNames: ReadonlySet<string>;
  readonly #marks: QueryMarks;
  #at = 0;
  #terms = 0;

  constructor(text: string, fieldNames: ReadonlySet<string>) {
    this.#text = text;
    this.#fieldNames = fieldNames;
    this.#marks = new QueryMarks(text, SEARCH_QUERY_DEPTH_MAX);
  }

  /** Everything from `start` up to `end`. */
  parse(start: number, end: number): QueryNode[] {
    this.#at = start;
    const operands: QueryNode[] = [];
    for (;;) {
      const operand = this.#nextOperand(end);
      if (operand === undefined) return joined(operands);
      operands.push(operand);
    }
  }

  #nextOperand(end: number): QueryNode | undefined {
    while (this.#at < end) {
      const unit = this.#text[this.#at];
      if (!isBoundary(unit) || this.#marks.closingOf(this.#at) !== undefined) {
        return this.#signed();
      }
      this.#at++;
    }
    return undefined;
  }

  #signed(): QueryNode {
    const start = this.#at;
    if (this.#text[start] !== '-' || !this.#hasOperandAt(start + 1)) return this.#qualified();
    this.#at++;
    const node = this.#qualified();
    return { kind: 'not', node, start, end: this.#at };
  }

  #qualified(): QueryNode {
    const start = this.#at;
    if (this.#marks.closingOf(start) !== undefined) return this.#enclosed();
    const colon = this.#colonOfField(start);
    if (colon === undefined) return this.#word();
    this.#at = colon + 1;
    const isEnclosed = this.#marks.closingOf(this.#at) !== undefined;
    const node = isEnclosed ? this.#enclosed() : this.#word();
    return { kind: 'field', field: this.#text.slice(start, colon), node, start, end: this.#at };
  }

  #hasOperandAt(at: number): boolean {
    return !isBoundary(this.#text[at]) || this.#marks.closingOf(at) !== undefined;
  }

  #colonOfField(start: number): number | undefined {
    let at = start;
    while (!isBoundary(this.#text[at]) && this.#text[at] !== ':') at++;
    if (this.#text[at] !== ':' || !this.#hasOperandAt(at + 1)) return undefined;
    return this.#fieldNames.has(this.#text.slice(start, at)) ? at : undefined;
  }

  #enclosed(): QueryNode {
    const start = this.#at;
    const close = this.#marks.closingOf(start)!;
    const end = close + 1;
    if (isQuote(this.#text[start])) {
      this.#countTerm();
      this.#at = end;
      return { kind: 'phrase', text: this.#text.slice(start + 1, close), start, end };
    }
    const nodes = this.parse(start + 1, close);
    this.#at = end;
    // One node alone takes the place of its brackets, by which `(OR)` is told from `OR`.
    return nodes.length === 1 ? { ...nodes[0]!, start, end } : { kind: 'and', nodes, start, end };
  }

  #word(): QueryNode {
    this.#countTerm();
    const start = this.#at;
    while (!isBoundary(this.#text[this.#at])) this.#at++;
    const text = this.#text.slice(start, this.#at);
    const end = this.#at;
    return text.length > 1 && text.endsWith('*')
      ? { kind: 'prefix', text: text.slice(0, -1), start, end }
      : { kind: 'word', text, start, end };
  }

  #countTerm(): void {
    if (++this.#terms > SEARCH_QUERY_TERMS_MAX) throw tooManyWords();
  }
}

/** Applies `OR` and `AND` where they stand between two operands. */
function joined(operands: readonly QueryNode[]): QueryNode[] {
  const nodes: QueryNode[] = [];
  /** Whether the last node is a row of `OR` that may go on, and not one that was in brackets. */
  let isRow = false;
  for (let i = 0; i < operands.length; i++) {
    const operand = operands[i]!;
    const last = nodes.at(-1);
    const next = operands[i + 1];
    const joins = isJoining(operand) && last !== undefined && next !== undefined;
    if (!joins || isJoining(next)) {
      nodes.push(operand);
      isRow = false;
    } else if (operand.text === 'OR') {
      nodes[nodes.length - 1] = either(last, next, isRow);
      isRow = true;
      i++;
    }
  }
  return nodes;
}

function either(left: QueryNode, right: QueryNode, goesOn: boolean): QueryNode {
  const nodes = goesOn && left.kind === 'or' ? [...left.nodes, right] : [left, right];
  return { kind: 'or', nodes, start: left.start, end: right.end };
}

/** A bare `OR` or `AND`, neither in brackets nor in quotes. */
function isJoining(node: QueryNode): node is WordNode {
  return node.kind === 'word' && isJoiner(node.text) && node.end - node.start === node.text.length;
}

const QUOTES = new Set('"“”„‟＂');
const OPENING_BRACKETS = new Set('(（');
const CLOSING_BRACKETS = new Set(')）');
const SPACE = /\s/;

/**
 * The paired quotes and brackets of a query: where each opens -> where it closes. Unpaired ones,
 * and brackets deeper than `depthMax`, only separate words.
 */
class QueryMarks {
  readonly #closing = new Map<number, number>();

  constructor(text: string, depthMax: number) {
    let quote: number | undefined;
    for (let i = 0; i < text.length; i++) {
      if (!QUOTES.has(text[i]!)) continue;
      if (quote !== undefined) this.#closing.set(quote, i);
      quote = quote === undefined ? i : undefined;
    }
    const open: number[] = [];
    for (let i = 0; i < text.length; i++) {
      const unit = text[i]!;
      if (QUOTES.has(unit)) i = this.#closing.get(i) ?? i;
      else if (OPENING_BRACKETS.has(unit)) open.push(i);
      else if (CLOSING_BRACKETS.has(unit)) {
        const start = open.pop();
        if (start !== undefined) this.#closing.set(start, i);
      }
    }
    this.#dropDeep(text, depthMax);
  }

  /** Where the phrase or bracket that opens here is closed. */
  closingOf(at: number): number | undefined {
    return this.#closing.get(at);
  }

  #dropDeep(text: string, depthMax: number): void {
    const ends: number[] = [];
    const brackets = [...this.#closing].filter(([start]) => OPENING_BRACKETS.has(text[start]!));
    for (const [start, end] of brackets.toSorted(([a], [b]) => a - b)) {
      while (ends.length > 0 && ends.at(-1)! < start) ends.pop();
      if (ends.length === depthMax) this.#closing.delete(start);
      else ends.push(end);
    }
  }
}

function isQuote(unit: string | undefined): boolean {
  return unit !== undefined && QUOTES.has(unit);
}

/** What ends a word. */
function isBoundary(unit: string | undefined): boolean {
  return (
    unit === undefined ||
    SPACE.test(unit) ||
    QUOTES.has(unit) ||
    OPENING_BRACKETS.has(unit) ||
    CLOSING_BRACKETS.has(unit)
  );
}
