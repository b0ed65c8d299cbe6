import { SCIM_FILTER_CHARACTERS_MAX, SCIM_FILTER_DEPTH_MAX } from '@trellis/contract/limits.ts';
import { unreachable } from '#base/assert.ts';
import { attribute, attributePath, isJson, type Json } from './scim-json.ts';
import { scimFault } from './scim-problem.ts';

const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
type Comparison = (typeof COMPARISONS)[number];

/** A filter (RFC 7644, section 3.4.2.2), such as `userName eq "ann" and not (active eq false)`. */
export type ScimFilter =
  | {
      readonly kind: 'compare';
      readonly path: readonly string[];
      readonly op: Comparison;
      readonly value: string | number | boolean | null;
    }
  | { readonly kind: 'present'; readonly path: readonly string[] }
  | { readonly kind: 'and' | 'or'; readonly of: readonly ScimFilter[] }
  | { readonly kind: 'not'; readonly of: ScimFilter }
  /** `emails[type eq "work"]`: one of the values matches as a whole. */
  | { readonly kind: 'some'; readonly path: readonly string[]; readonly of: ScimFilter };

/** The filter of a list; undefined when it has none. Throws as `parseScimFilter`. */
export function filterOf({ filter = '' }: { readonly filter?: string | undefined }) {
  return filter.trim() === '' ? undefined : parseScimFilter(filter);
}

/** Throws `scim_invalid_request` with `invalidFilter`. */
export function parseScimFilter(text: string): ScimFilter {
  if (text.length > SCIM_FILTER_CHARACTERS_MAX) {
    throw scimFault('invalidFilter', `A filter has at most ${SCIM_FILTER_CHARACTERS_MAX} letters.`);
  }
  const parser = new FilterParser(tokensOf(text));
  const filter = parser.either(0);
  parser.end();
  return filter;
}

interface Token {
  readonly text: string;
  readonly at: number;
}

/** Brackets, texts, and words: no two of the alternatives begin alike. */
const TOKEN = /[ \t]*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))[ \t]*/y;

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) throw scimFault('invalidFilter', `The filter is not readable at ${at}.`);
    tokens.push({ text: found[1] ?? found[2] ?? found[3] ?? '', at });
  }
  return tokens;
}

const NAME = /^[a-z$][\w$:./-]*$/i;

class FilterParser {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** "and" binds closer than "or". */
  either(depth: number): ScimFilter {
    return this.#chain('or', () => this.#chain('and', () => this.#one(depth)));
  }

  end(): void {
    if (this.#next < this.#tokens.length) throw this.#fault('and, or, or the end');
  }

  #chain(kind: 'and' | 'or', part: () => ScimFilter): ScimFilter {
    const first = part();
    const of = [first];
    while (this.#word() === kind) {
      this.#next++;
      of.push(part());
    }
    return of.length === 1 ? first : { kind, of };
  }

  #one(depth: number): ScimFilter {
    if (depth > SCIM_FILTER_DEPTH_MAX) {
      throw scimFault('invalidFilter', `Brackets are ${SCIM_FILTER_DEPTH_MAX} deep at most.`);
    }
    if (this.#word() === 'not' && this.#tokens[this.#next + 1]?.text === '(') {
      this.#next++;
      return { kind: 'not', of: this.#one(depth) };
    }
    if (this.#word() === '(') {
      this.#next++;
      return this.#closed(')', depth);
    }
    const name = this.#take('the name of an attribute');
    if (!NAME.test(name)) throw this.#fault('the name of an attribute', 1);
    const path = attributePath(name);
    const op = this.#take('a comparison').toLowerCase();
    if (op === 'pr') return { kind: 'present', path };
    if (op === '[') return { kind: 'some', path, of: this.#closed(']', depth) };
    const comparison = COMPARISONS.find((known) => known === op);
    if (comparison === undefined) throw this.#fault('a comparison', 1);
    return { kind: 'compare', path, op: comparison, value: this.#value() };
  }

  #closed(bracket: ')' | ']', depth: number): ScimFilter {
    const inner = this.either(depth + 1);
    if (this.#word() !== bracket) throw this.#fault(`"${bracket}"`);
    this.#next++;
    return inner;
  }

  #value(): string | number | boolean | null {
    const text = this.#take('a value');
    try {
      const value: unknown = JSON.parse(text);
      if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) {
        return value as string | number | boolean | null;
      }
    } catch {
      // Identity providers write booleans as Python does.
      if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
    }
    throw this.#fault('a value: a text in quotation marks, a number, true, false or null', 1);
  }

  /** The next token in lower case; undefined at the end. */
  #word(): string | undefined {
    return this.#tokens[this.#next]?.text.toLowerCase();
  }

  #take(what: string): string {
    const token = this.#tokens[this.#next];
    if (token === undefined) throw this.#fault(what);
    this.#next++;
    return token.text;
  }

  #fault(wanted: string, back = 0): Error {
    const token = this.#tokens[this.#next - back];
    const where = token === undefined ? 'at its end' : `at ${token.at}`;
    return scimFault('invalidFilter', `The filter lacks ${wanted} ${where}.`);
  }
}

/** The value that the filter asks one attribute to be equal to, if that is all it asks. */
export function soleEquality(filter: ScimFilter, name: string): string | undefined {
  if (filter.kind !== 'compare' || filter.op !== 'eq' || typeof filter.value !== 'string') {
    return undefined;
  }
  return filter.path.join('.').toLowerCase() === name ? filter.value : undefined;
}

/** What the filters of one request may compare, so that it never holds the thread for long. */
const COMPARISONS_MAX = 200_000;

/** Counts what the filters of one request compare. */
export class FilterWork {
  #comparisons = 0;

  /** Before a filter is asked about so many entries. Throws `scim_invalid_request`. */
  add(filter: ScimFilter, entries: number): void {
    this.#comparisons += comparisonsOf(filter) * entries;
    if (this.#comparisons <= COMPARISONS_MAX) return;
    throw scimFault('tooMany', 'The filters of the request compare too much.');
  }
}

function comparisonsOf(filter: ScimFilter): number {
  if (filter.kind === 'and' || filter.kind === 'or') {
    return filter.of.reduce((sum, one) => sum + comparisonsOf(one), 0);
  }
  return filter.kind === 'not' || filter.kind === 'some' ? 1 + comparisonsOf(filter.of) : 1;
}

export function matchesScimFilter(filter: ScimFilter, resource: Json): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.of.every((one) => matchesScimFilter(one, resource));
    case 'or':
      return filter.of.some((one) => matchesScimFilter(one, resource));
    case 'not':
      return !matchesScimFilter(filter.of, resource);
    case 'present':
      return valuesAt(resource, filter.path).some((value) => value !== null && value !== '');
    case 'some':
      return entriesAt(resource, filter.path).some((entry) => matchesScimFilter(filter.of, entry));
    case 'compare':
      return compares(filter, resource);
    default:
      return unreachable(filter);
  }
}

function compares(filter: ScimFilter & { readonly kind: 'compare' }, resource: Json): boolean {
  const { op, path, value } = filter;
  const values = valuesAt(resource, path);
  if (op === 'ne') return !compares({ ...filter, op: 'eq' }, resource);
  if (value === null) return op === 'eq' && values.length === 0;
  const isExact = CASE_EXACT.has((path.at(-1) ?? '').toLowerCase());
  return values.some((own) => holds(op, comparable(own, isExact), comparable(value, isExact)));
}

/** Attributes whose values differ in more than case (RFC 7643, section 3.1). */
const CASE_EXACT: ReadonlySet<string> = new Set(['id', 'externalid', 'version', 'location']);

function comparable(value: unknown, isExact: boolean): unknown {
  return typeof value === 'string' && !isExact ? value.toLowerCase() : value;
}

function holds(op: Comparison, own: unknown, value: unknown): boolean {
  if (typeof own === 'boolean' && typeof value === 'string') return String(own) === value;
  if (typeof own === 'string' && typeof value === 'string') {
    if (op === 'co') return own.includes(value);
    if (op === 'sw') return own.startsWith(value);
    if (op === 'ew') return own.endsWith(value);
    return inOrder(op, own < value ? -1 : own === value ? 0 : 1);
  }
  if (typeof own === 'number' && typeof value === 'number') return inOrder(op, own - value);
  return op === 'eq' && own === value;
}

function inOrder(op: Comparison, difference: number): boolean {
  switch (op) {
    case 'eq':
      return difference === 0;
    case 'gt':
      return difference > 0;
    case 'ge':
      return difference >= 0;
    case 'lt':
      return difference < 0;
    case 'le':
      return difference <= 0;
    default:
      return false;
  }
}

function entriesAt(resource: Json, path: readonly string[]): Json[] {
  return reached(resource, path).flatMap((value) => (isJson(value) ? [value] : []));
}

/** Simple values: of a complex one that is its `value`. */
function valuesAt(resource: Json, path: readonly string[]): unknown[] {
  return reached(resource, path).flatMap((value) => {
    if (!isJson(value)) return [value];
    const inner = attribute(value, 'value');
    return inner === undefined ? [value] : [inner];
  });
}

function reached(resource: Json, path: readonly string[]): unknown[] {
  let values: unknown[] = [resource];
  for (const name of path) {
    values = values.flatMap((value) => {
      const inner = isJson(value) ? attribute(value, name) : undefined;
      return inner === undefined || inner === null ? [] : [inner].flat();
    });
  }
  return values;
}
