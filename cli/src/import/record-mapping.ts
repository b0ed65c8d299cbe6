import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { FieldType } from '@trellis/contract/shapes/schema-document.ts';
import { WrongUsage } from '../failure.ts';
import { parseFieldType, parseTime } from './field-text.ts';

/** How records become nodes, as it stands on the command line. */
export interface MappingOptions {
  readonly type: string;
  readonly key: string;
  readonly types?: string;
  readonly rename?: string;
  readonly link?: readonly string[];
  readonly timestamp?: string;
  readonly listSeparator: string;
}

/** A column whose values are keys of other nodes. */
export interface LinkColumn {
  readonly column: string;
  readonly edge: string;
  readonly type: string;
  /** Whether a cell may hold several keys. */
  readonly isList: boolean;
}

/** One row or object of the input, by column. */
export type InputRecord = Readonly<{ [column: string]: unknown }>;

/**
 * Makes the operations of one record: the node itself, then the nodes that it links to, and the
 * links.
 */
export class RecordMapping {
  readonly type: string;
  readonly key: string;
  readonly links: readonly LinkColumn[];
  readonly listSeparator: string;
  readonly #timestamp: string | undefined;
  /** Columns that are neither the key nor fields. */
  readonly #beside: ReadonlySet<string | undefined>;
  readonly #types: ReadonlyMap<string, FieldType>;
  readonly #renamed: ReadonlyMap<string, string>;
  readonly #fieldNames = new Map<string, string>();

  constructor(options: MappingOptions) {
    this.type = options.type;
    this.key = options.key;
    this.listSeparator = options.listSeparator;
    this.#timestamp = options.timestamp;
    this.links = (options.link ?? []).map(parseLink);
    this.#beside = new Set([this.#timestamp, ...this.links.map(({ column }) => column)]);
    this.#types = new Map(parsePairs(options.types, '--types').map(parseType));
    this.#renamed = new Map(parsePairs(options.rename, '--rename'));
  }

  /** Columns that the command line names: each must be there. */
  namedColumns(): string[] {
    const links = this.links.map(({ column }) => column);
    const timestamp = this.#timestamp === undefined ? [] : [this.#timestamp];
    return [this.key, ...links, ...timestamp, ...this.#types.keys(), ...this.#renamed.keys()];
  }

  /** Whether the column becomes a field of the node. */
  isField(column: string): boolean {
    return column !== this.key && !this.#beside.has(column);
  }

  /** The name of the key; `Id`, as every node shows it, is one too. */
  keyName(): string {
    const name = this.#renamed.get(this.key) ?? identifier(this.key);
    return name === 'Id' ? name : this.fieldName(this.key);
  }

  /** The type that the command line gives a column. */
  typeOf(column: string): FieldType | undefined {
    return this.#types.get(column);
  }

  /**
   * The name under which a column's values are stored: `First name` becomes `FirstName`. Throws
   * `WrongUsage`.
   */
  fieldName(column: string): string {
    let name = this.#fieldNames.get(column);
    if (name === undefined) {
      name = this.#renamed.get(column) ?? identifier(column);
      this.#fieldNames.set(column, checkFieldName(name, column));
    }
    return name;
  }

  /**
   * Throws an `Error` that says what is wrong with the record. `convert` gives the JSON value of a
   * field's cell, undefined to leave the field alone.
   */
  operations(
    record: InputRecord,
    convert: (column: string, value: unknown) => unknown,
  ): GraphOperation[] {
    const key = keyOf(record[this.key], this.key);
    const fields: { [name: string]: unknown } = {};
    for (const column of Object.keys(record)) {
      const converted = this.isField(column) ? convert(column, record[column]) : undefined;
      if (converted !== undefined) fields[this.fieldName(column)] = converted;
    }
    const operations: GraphOperation[] = [
      { op: 'addOrUpdate', type: this.type, key, fields, ...this.#timestampOf(record) },
    ];
    const from = { type: this.type, key };
    for (const { column, edge, type, isList } of this.links) {
      for (const target of keysOf(
        record[column],
        column,
        isList ? this.listSeparator : undefined,
      )) {
        const to = { type, key: target };
        // Edges never dangle: a node that has not come yet, or never will, is made with nothing but
        // its key.
        operations.push({ op: 'tryAdd', ...to }, { op: 'link', from, edge, to });
      }
    }
    return operations;
  }

  #timestampOf(record: InputRecord): { timestamp?: string | number } {
    const value = this.#timestamp === undefined ? undefined : record[this.#timestamp];
    if (value === undefined || value === null || value === '') return {};
    if (typeof value === 'number') return { timestamp: value };
    const timestamp = typeof value === 'string' ? parseTime(value) : undefined;
    if (timestamp === undefined)
      throw new Error(`${this.#timestamp}: "${String(value)}" is not a time`);
    return { timestamp };
  }
}

function keyOf(value: unknown, column: string): string {
  const key = typeof value === 'number' ? String(value) : value;
  if (typeof key !== 'string' || key === '') {
    throw new Error(
      `${column}: ${value === undefined ? 'missing' : JSON.stringify(value)} is no key`,
    );
  }
  return key;
}

/** An empty cell links to nothing. */
function keysOf(value: unknown, column: string, separator: string | undefined): string[] {
  if (value === undefined || value === null || value === '') return [];
  if (Array.isArray(value)) return value.map((one) => keyOf(one, column));
  if (typeof value !== 'string' || separator === undefined) return [keyOf(value, column)];
  return value
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Letters, digits and underscores of a heading, each further word capitalised. */
function identifier(column: string): string {
  const [first = '', ...words] = column.split(/[^A-Za-z0-9_]+/).filter((word) => word !== '');
  const name = first + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^\d/.test(name) ? `_${name}` : name;
}

/** Every node shows these already (open-shapes, section 2). */
const RESERVED_FIELD_NAMES = new Set(['UID', 'Type', 'Timestamp']);

function checkFieldName(name: string, column: string): string {
  const hint = `Give it another name: --rename "${column}:Name".`;
  if (name === 'Id') {
    throw new WrongUsage(
      `the column "${column}" cannot be a field: every node shows its key as Id`,
      `Take the column as the key, --key "${column}", or give it another name: --rename "${column}:Name".`,
    );
  }
  if (RESERVED_FIELD_NAMES.has(name)) {
    throw new WrongUsage(
      `the column "${column}" cannot be a field: every node has its own ${name}`,
      hint,
    );
  }
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    throw new WrongUsage(`the column "${column}" cannot be a field named "${name}"`, hint);
  }
  return name;
}

function parseLink(text: string): LinkColumn {
  const match = /^(.+):(\w+):(\w+)(\[\])?$/.exec(text);
  const [, column, edge, type, list] = match ?? [];
  if (column === undefined || edge === undefined || type === undefined) {
    throw new WrongUsage(
      `--link "${text}" is not COLUMN:EDGE:TYPE`,
      'For instance --link Manager:ReportsTo:Person; with TYPE[] a cell may hold several keys.',
    );
  }
  return { column, edge, type, isList: list !== undefined };
}

/** `a:x,b:y` */
function parsePairs(text: string | undefined, option: string): [string, string][] {
  if (text === undefined) return [];
  return text.split(',').map((pair) => {
    const [, left, right] = /^(.+):(.+)$/.exec(pair.trim()) ?? [];
    if (left === undefined || right === undefined) {
      throw new WrongUsage(`${option}: "${pair}" is not COLUMN:VALUE`);
    }
    return [left, right];
  });
}

function parseType([column, name]: [string, string]): [string, FieldType] {
  const type = parseFieldType(name);
  if (type === undefined) {
    throw new WrongUsage(
      `--types: "${name}" is not a field type`,
      'Types are like Int, Time or String[].',
    );
  }
  return [column, type];
}
