import { isJsonObject, type JsonSchema } from '@trellis/contract/openapi/shape-schemas.ts';
import { TYPE_TEXT_DEPTH_MAX } from '#base/endpoint-limits.ts';
import type { Direction } from './type-schema.ts';

export interface SchemaTypeOptions {
  readonly direction: Direction;
  /** The name of the type of a definition (`$defs`), or with '' of the whole schema. */
  readonly alias: (definition: string) => string;
  /** Names of interfaces of node types: an answer with one as its title is that interface. */
  readonly nodeInterfaces: ReadonlySet<string>;
  /** How far the lines of the text stand to the right, in steps. */
  readonly margin: number;
}

/** The TypeScript type of the values of a schema. */
export interface SchemaTypes {
  readonly type: string;
  /** Types by the names that `type` and they themselves have for them. */
  readonly aliases: ReadonlyMap<string, string>;
}

/**
 * The TypeScript type of the values of a JSON Schema (draft 2020-12), the way back of
 * `type-schema.ts`. A schema may come from anywhere, so that what it says is quoted, and what
 * TypeScript cannot say is `unknown`.
 */
export function typesOfSchema(schema: JsonSchema, options: SchemaTypeOptions): SchemaTypes {
  const writer = new SchemaType(schema, options);
  const definitions = Object.entries(writer.definitions).map(
    ([name, one]) => [options.alias(name), writer.of(one, 0)] as const,
  );
  const type = writer.of(schema, options.margin);
  if (!writer.namesWhole) return { type, aliases: new Map(definitions) };
  const whole = options.alias('');
  return { type: whole, aliases: new Map([[whole, writer.of(schema, 0)], ...definitions]) };
}

const UNKNOWN = 'unknown';

class SchemaType {
  readonly definitions: Readonly<Record<string, unknown>>;
  /** Whether a part is the whole schema again: `$ref: '#'`. */
  namesWhole = false;
  readonly #root: JsonSchema;
  readonly #options: SchemaTypeOptions;

  constructor(root: JsonSchema, options: SchemaTypeOptions) {
    this.#root = root;
    this.#options = options;
    this.definitions = isJsonObject(root['$defs']) ? { ...root['$defs'] } : {};
  }

  /** `depth` is how many types it stands in, and how far to the right. */
  of(schema: unknown, depth: number): string {
    if (schema === false) return 'never';
    if (!isJsonObject(schema) || depth > TYPE_TEXT_DEPTH_MAX) return UNKNOWN;
    const { title } = schema;
    const { direction, nodeInterfaces } = this.#options;
    const isNode = direction === 'output' && nodeInterfaces.has(String(title));
    if (isNode) return String(title);
    const parts = [
      this.#reference(schema),
      constantOf(schema),
      ...['anyOf', 'oneOf'].map((keyword) => this.#union(schema[keyword], depth)),
      ...listOf(schema['allOf']).map((one) => this.of(one, depth)),
      this.#typed(schema, depth),
    ];
    const said = [...new Set(parts.filter((part) => part !== undefined && part !== UNKNOWN))];
    if (said.length < 2) return said[0] ?? UNKNOWN;
    return said.map((part) => bracketed(String(part))).join(' & ');
  }

  #reference({ $ref: reference }: JsonSchema): string | undefined {
    if (typeof reference !== 'string') return undefined;
    const name = definitionIn(reference);
    const isThere = name === '' || (name !== undefined && Object.hasOwn(this.definitions, name));
    if (!isThere || isEndless(name, this.#root, this.definitions)) return UNKNOWN;
    if (name === '') this.namesWhole = true;
    return this.#options.alias(name);
  }

  #union(schemas: unknown, depth: number): string | undefined {
    if (!Array.isArray(schemas)) return undefined;
    return joined(schemas.map((one) => this.of(one, depth)));
  }

  /** What the keyword `type` says, and what goes with it. */
  #typed(schema: JsonSchema, depth: number): string | undefined {
    const named = schema['type'] ?? impliedType(schema);
    const types = Array.isArray(named) ? named : [named];
    const texts = types.map((type) => this.#typeNamed(type, schema, depth));
    return joined(texts.filter((text) => text !== undefined));
  }

  #typeNamed(type: unknown, schema: JsonSchema, depth: number): string | undefined {
    switch (type) {
      case 'string':
      case 'number':
      case 'boolean':
      case 'null':
        return type;
      case 'integer':
        return 'number';
      case 'array':
        return this.#array(schema, depth);
      case 'object':
        return this.#object(schema, depth);
      default:
        return undefined;
    }
  }

  #array(schema: JsonSchema, depth: number): string {
    const { prefixItems, items, minItems } = schema;
    const item = this.of(items ?? {}, depth + 1);
    const first = listOf(prefixItems);
    if (first.length === 0) return `readonly ${bracketed(item)}[]`;
    const required = typeof minItems === 'number' ? minItems : 0;
    const members = first.map((one, at) => {
      const text = this.of(one, depth + 1);
      return at < required ? text : `${bracketed(text)}?`;
    });
    const isClosed = items === false || schema['maxItems'] === first.length;
    if (!isClosed) members.push(`...${bracketed(item)}[]`);
    return `readonly [${members.join(', ')}]`;
  }

  #object(schema: JsonSchema, depth: number): string {
    const { properties, required, additionalProperties: others } = schema;
    const needed = new Set(listOf(required));
    const margin = '  '.repeat(depth + 1);
    const lines: string[] = [];
    for (const [name, value] of Object.entries(isJsonObject(properties) ? properties : {})) {
      if (isJsonObject(value)) lines.push(...commentOf(value['description'], margin));
      const text = this.of(value, depth + 1);
      lines.push(`${margin}readonly ${this.#member(name, text, needed.has(name))};`);
    }
    // An index signature has to be of the type of every member.
    const rest = isJsonObject(others) ? this.of(others, depth + 1) : undefined;
    if (lines.length === 0) {
      if (rest !== undefined) return `{ readonly [name: string]: ${rest} }`;
      return this.#options.direction === 'input'
        ? 'object'
        : '{ readonly [name: string]: unknown }';
    }
    if (rest !== undefined) lines.push(`${margin}readonly [name: string]: unknown;`);
    return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`;
  }

  /** What is sent may say `undefined` for what it leaves out. */
  #member(name: string, type: string, isRequired: boolean): string {
    const key = memberName(name);
    if (isRequired) return `${key}: ${type}`;
    return `${key}?: ${this.#options.direction === 'input' ? orUndefined(type) : type}`;
  }
}

/** With `undefined` beside what it already is. */
export function orUndefined(type: string): string {
  return type === UNKNOWN ? type : `${bracketed(type)} | undefined`;
}

/** A name as a member of an interface has it. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** As a comment for editors; none of nothing. */
export function commentOf(text: unknown, margin: string): string[] {
  if (typeof text !== 'string' || text.trim() === '') return [];
  const safe = text
    .trim()
    .replaceAll('*/', '*\\/')
    .split(/\r\n|[\n\r\u2028\u2029]/);
  if (safe.length === 1) return [`${margin}/** ${safe[0]} */`];
  return [`${margin}/**`, ...safe.map((line) => `${margin} * ${line}`.trimEnd()), `${margin} */`];
}

function constantOf(schema: JsonSchema): string | undefined {
  if (Object.hasOwn(schema, 'const')) return literal(schema['const']);
  const { enum: values } = schema;
  return Array.isArray(values) ? joined(values.map(literal)) : undefined;
}

function literal(value: unknown): string {
  return typeof value === 'object' && value !== null ? UNKNOWN : (JSON.stringify(value) ?? UNKNOWN);
}

/** A schema often says what something looks like, and not that it is an object. */
function impliedType(schema: JsonSchema): string | undefined {
  if (isJsonObject(schema['properties'])) return 'object';
  return schema['items'] === undefined && schema['prefixItems'] === undefined ? undefined : 'array';
}

function joined(types: readonly string[]): string | undefined {
  if (types.length === 0) return undefined;
  if (types.includes(UNKNOWN)) return UNKNOWN;
  const different = [...new Set(types)].filter((type) => type !== 'never');
  return different.length === 0 ? 'never' : different.join(' | ');
}

function bracketed(type: string): string {
  return /^[\w$]+$/.test(type) || (type.startsWith('{') && type.indexOf('}') === type.length - 1)
    ? type
    : `(${type})`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * The name of the definition that is referred to; '' for the whole schema. Names may be escaped as
 * in a JSON Pointer (RFC 6901) and in a URL.
 */
function definitionIn(reference: string): string | undefined {
  if (reference === '#') return '';
  const [, text] = /^#\/\$defs\/([^/]+)$/.exec(reference) ?? [];
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return text;
  }
}

/**
 * Whether a definition is itself, or one of several that are it, such as `{ $ref: '#/$defs/A' }`
 * under the name `A`: no type can be written so.
 */
function isEndless(
  start: string,
  root: JsonSchema,
  definitions: Readonly<Record<string, unknown>>,
): boolean {
  const seen = new Set<string>();
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const next of namedAtOnce(name === '' ? root : definitions[name], 0)) {
      if (next === start) return true;
      if (!seen.has(next)) open.push(next);
      seen.add(next);
    }
  }
  return false;
}

/** The definitions that a schema is made of, but for those within its members and items. */
function namedAtOnce(schema: unknown, depth: number): string[] {
  if (!isJsonObject(schema) || depth > TYPE_TEXT_DEPTH_MAX) return [];
  const { $ref: reference } = schema;
  const own = typeof reference === 'string' ? definitionIn(reference) : undefined;
  const within = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => listOf(schema[keyword]));
  return [
    ...(own === undefined ? [] : [own]),
    ...within.flatMap((one) => namedAtOnce(one, depth + 1)),
  ];
}
