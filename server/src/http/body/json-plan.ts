/**
 * How a large JSON text is read without a long stop. Another thread cuts it at commas into pieces,
 * and the main thread parses one piece in each turn. The other thread cannot hand over the values
 * themselves: to take over a copy of 10,000 operations (11 MB) holds the main thread for 430 ms, to
 * parse their text for 35 ms.
 */
export type JsonPlan = string | JsonContainer;

/** A list or an object that is larger than one piece. */
export interface JsonContainer {
  readonly isList: boolean;
  /** Several elements or members with commas between them; or one that is cut itself. */
  readonly parts: readonly (string | CutMember)[];
}

interface CutMember {
  /** As JSON; null in a list. */
  readonly key: string | null;
  readonly plan: JsonContainer;
}

export interface JsonPlanLimits {
  readonly pieceCharacters: number;
  readonly depthMax: number;
  readonly valuesMax: number;
}

/** The text has too many values, or too deep ones. */
export class TooManyValues extends Error {}

/**
 * Where to cut a text, and how many values it has. Throws `TooManyValues` as soon as there are too
 * many. The plan of an invalid text has no meaning.
 */
export function planJson(
  text: string,
  limits: JsonPlanLimits,
): { readonly plan: JsonPlan; readonly values: number } {
  const cutter = new Cutter(text, limits);
  const container = cutter.value(0);
  return { plan: container ?? text, values: cutter.values };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const LIST_OPEN = 0x5b;
const LIST_CLOSE = 0x5d;
const OBJECT_OPEN = 0x7b;
const OBJECT_CLOSE = 0x7d;
const SPACE = 0x20;

class Cutter {
  readonly #text: string;
  readonly #limits: JsonPlanLimits;
  #at = 0;
  values = 0;

  constructor(text: string, limits: JsonPlanLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  /** Goes past one value. Undefined when it fits into a piece, or cannot be cut. */
  value(depth: number): JsonContainer | undefined {
    this.#skipSpace();
    if (++this.values > this.#limits.valuesMax) throw new TooManyValues();
    const first = this.#code();
    if (first === LIST_OPEN || first === OBJECT_OPEN) {
      if (depth >= this.#limits.depthMax) throw new TooManyValues();
      return this.#container(first === LIST_OPEN, depth + 1);
    }
    if (first === QUOTE) this.#skipString();
    else this.#skipScalar();
    return undefined;
  }

  #container(isList: boolean, depth: number): JsonContainer | undefined {
    const { pieceCharacters } = this.#limits;
    const from = this.#at++;
    const parts: (string | CutMember)[] = [];
    // The start of what is not in a part yet; it ends at the comma before the next element.
    let groupFrom = this.#at;
    let groupTo = this.#at;
    const endGroup = (): void => {
      if (groupTo > groupFrom) parts.push(this.#text.slice(groupFrom, groupTo));
      groupFrom = this.#at;
      groupTo = this.#at;
    };
    this.#skipSpace();
    while (this.#at < this.#text.length && !isClose(this.#code())) {
      const elementFrom = this.#at;
      const key = isList ? null : this.#key();
      const plan = this.value(depth);
      this.#skipSpace();
      if (plan === undefined) {
        if (groupTo === groupFrom) groupFrom = elementFrom;
        groupTo = this.#at;
      } else {
        endGroup();
        parts.push({ key, plan });
      }
      if (this.#code() !== COMMA) break;
      this.#at += 1;
      if (groupTo - groupFrom > pieceCharacters) endGroup();
      this.#skipSpace();
    }
    endGroup();
    this.#at += 1;
    return this.#at - from <= pieceCharacters ? undefined : { isList, parts };
  }

  #key(): string {
    const from = this.#at;
    if (this.#code() === QUOTE) this.#skipString();
    const key = this.#text.slice(from, this.#at);
    this.#skipSpace();
    // The colon.
    this.#at += 1;
    return key;
  }

  #skipString(): void {
    for (;;) {
      const end = this.#text.indexOf('"', this.#at + 1);
      if (end === -1) {
        this.#at = this.#text.length;
        return;
      }
      let escapes = end;
      while (this.#text.charCodeAt(escapes - 1) === BACKSLASH && escapes - 1 > this.#at)
        escapes -= 1;
      this.#at = end;
      if ((end - escapes) % 2 === 0) break;
    }
    this.#at += 1;
  }

  /** A number or a word: all that is no structure. */
  #skipScalar(): void {
    for (;;) {
      const code = this.#code();
      if (code === COMMA || isClose(code) || Number.isNaN(code)) return;
      this.#at += 1;
    }
  }

  #skipSpace(): void {
    while (this.#code() <= SPACE) this.#at += 1;
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }
}

function isClose(code: number): boolean {
  return code === LIST_CLOSE || code === OBJECT_CLOSE;
}

/** A request to the thread that reads large JSON. */
export interface JsonRequest {
  readonly id: number;
  /** In UTF-8; handed over. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The text as it is, for another thread to parse, or a plan of its pieces. */
  readonly wants: 'text' | 'plan';
}

export type JsonAnswer = { readonly id: number } & JsonReading;

export type JsonReading =
  | { readonly plan: JsonPlan; readonly values: number }
  | { readonly fault: 'malformed' | 'too-many-values' };

/**
 * Makes the value of a text that was cut, piece by piece. It waits for `turn` after each piece, so
 * that other requests get theirs. `parse` parses JSON and refuses names that reach into prototypes;
 * `refuse` makes the error for such a name between pieces.
 */
export async function assembleJson(
  plan: JsonPlan,
  parse: (text: string) => unknown,
  { turn, refuse }: { readonly turn: () => Promise<void>; readonly refuse: () => Error },
): Promise<unknown> {
  if (typeof plan === 'string') return parse(plan);
  const list: unknown[] = [];
  const object: Record<string, unknown> = {};
  for (const part of plan.parts) {
    if (typeof part === 'string') {
      if (plan.isList) for (const item of parse(`[${part}]`) as unknown[]) list.push(item);
      else Object.assign(object, parse(`{${part}}`));
      await turn();
      continue;
    }
    const value = await assembleJson(part.plan, parse, { turn, refuse });
    if (part.key === null) {
      list.push(value);
      continue;
    }
    const name = String(parse(part.key));
    if (name === '__proto__' || (name === 'constructor' && hasPrototype(value))) throw refuse();
    object[name] = value;
  }
  return plan.isList ? list : object;
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}
