import type { AccessIndex } from '#access/access-index.ts';
import type { Caller } from '#access/caller.ts';
import { CHAT_OUTPUT_DEPTH_MAX } from '#base/assistant-limits.ts';
import type { GraphReader, Visibility } from '#graph/reader.ts';
import type { Snippet } from './snippets.ts';

export interface FactsParts {
  readonly reader: GraphReader;
  readonly access: AccessIndex;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Marks a value that must not be shown. */
const HIDDEN = Symbol('hidden');

/**
 * Facts that were fetched earlier, as a reader may see them now. Facts of deleted nodes, and of
 * nodes that the reader may not see, are left out. Use it within one turn of the event loop.
 */
export class ReaderFacts {
  readonly #reader: GraphReader;
  readonly #visibility: Visibility;

  constructor({ reader, access }: FactsParts, caller: Caller) {
    reader.refresh();
    this.#reader = reader;
    this.#visibility = access.visibilityFor(caller);
  }

  /** Facts with a field that may no longer be read have an empty text. */
  snippets(snippets: readonly Snippet[]): Snippet[] {
    return snippets.flatMap((snippet) => {
      const id = this.#find(snippet.uid);
      if (id === undefined) return [];
      return [this.#withholds(id, snippet.text) ? { ...snippet, text: '' } : snippet];
    });
  }

  /**
   * What the reader may read of the node of a fact, with one line for each field, and of the fact;
   * undefined for a node that they may not see.
   */
  textOf(snippet: Snippet): string | undefined {
    const id = this.#find(snippet.uid);
    const node = id === undefined ? undefined : this.#reader.node(id);
    if (id === undefined || node === undefined) return undefined;
    const fields = Object.entries(this.#visibility.present(id, node));
    const lines = fields
      .filter(([name]) => name !== 'UID')
      .map(([name, value]) => `${name}: ${isText(value) ? String(value) : JSON.stringify(value)}`);
    const known = lines.join('\n');
    // What a tool has computed of the node is no field of it.
    const fact = this.#withholds(id, snippet.text) ? '' : snippet.text;
    const further = fact.split('\n').filter((line) => !known.includes(line));
    return [known, ...further].join('\n');
  }

  /** Whether the reader may read a quote of a node, as far as fields of its type are withheld. */
  mayRead(uid: string, quote: string): boolean {
    const id = this.#find(uid);
    const type = id === undefined ? undefined : this.#reader.typeOf(id);
    if (type === undefined) return false;
    if (quote === '' || !this.#visibility.withholdsFields(type)) return true;
    const text = this.textOf({ id: 1, uid, text: '' }) ?? '';
    return folded(text).includes(folded(quote));
  }

  canSee(uid: string): boolean {
    return this.#find(uid) !== undefined;
  }

  /**
   * The output of a tool; undefined when nothing of it is left. An object without a `UID` that
   * contains a hidden node is removed with it, since its other members describe the node, as the
   * highlights of a hit do.
   */
  output(output: unknown): unknown {
    const shown = typeof output === 'string' ? this.#text(output) : this.#shown(output, 0);
    return shown === HIDDEN ? undefined : shown;
  }

  #shown(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (depth > CHAT_OUTPUT_DEPTH_MAX) return HIDDEN;
    if (Array.isArray(value)) {
      return value.map((one) => this.#shown(one, depth + 1)).filter((one) => one !== HIDDEN);
    }
    const object = value as JsonObject;
    return typeof object['UID'] === 'string'
      ? this.#node(object, object['UID'], depth)
      : this.#object(object, depth);
  }

  #node(node: JsonObject, uid: string, depth: number): unknown {
    const id = this.#find(uid);
    if (id === undefined) return HIDDEN;
    const members = Object.entries(node)
      .filter(([name]) => this.#visibility.canReadField(id, name))
      .map(([name, member]) => [name, this.#shown(member, depth + 1)] as const)
      .filter(([, member]) => member !== HIDDEN);
    return Object.fromEntries(members);
  }

  #object(object: JsonObject, depth: number): unknown {
    const members = Object.entries(object).map(
      ([name, member]) => [name, this.#shown(member, depth + 1)] as const,
    );
    return members.some(([, member]) => member === HIDDEN) ? HIDDEN : Object.fromEntries(members);
  }

  /** Text of JSON that was cut off: no part of it can be removed. */
  #text(text: string): string | typeof HIDDEN {
    for (const [, uid = ''] of text.matchAll(/"UID":"([^"]*)"/g)) {
      const id = this.#find(uid);
      const type = id === undefined ? undefined : this.#reader.typeOf(id);
      if (type === undefined || this.#visibility.withholdsFields(type)) return HIDDEN;
    }
    return text;
  }

  #find(uid: string): number | undefined {
    const id = this.#reader.id({ uid });
    return id !== undefined && this.#visibility.canSee(id) ? id : undefined;
  }

  /** In a text, each field has one line, which starts with the name of the field. */
  #withholds(id: number, text: string): boolean {
    const type = this.#reader.typeOf(id);
    if (type === undefined || !this.#visibility.withholdsFields(type)) return false;
    const names = [...text.matchAll(/^([^:\n]+): /gm)].map(([, name = '']) => name);
    return !names.every((name) => this.#visibility.canReadField(id, name));
  }
}

function isText(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function folded(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
