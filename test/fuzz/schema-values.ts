import fc from 'fast-check';
import { isJsonObject, type JsonSchema } from '@trellis/contract/openapi/shape-schemas.ts';

/**
 * Values that members of some name should have now and then, so that operations find what they are
 * about.
 */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

/** Deeper than this, what need not be there is not. */
const DEPTH_MAX = 5;
const ITEMS_MAX = 4;
const CHARACTERS_MAX = 40;

/** What has no rules of its own. */
const anything = fc.jsonValue({ maxDepth: 2 });
/** Where nothing listens: what is asked of such an address fails at once. */
const ADDRESS = fc.constantFrom('http://127.0.0.1:9', 'http://127.0.0.1:9/v1');

/** Makes values that fit schemas of one OpenAPI document. */
export class SchemaValues {
  readonly #components: Readonly<Record<string, unknown>>;
  readonly #known: KnownValues;

  constructor(document: unknown, known: KnownValues) {
    this.#components = Object(Object(Object(document).components).schemas);
    this.#known = known;
  }

  /** `name` is that of the member or parameter, if it is one; `place` is a better one. */
  of(schema: JsonSchema, name = '', { depth = 0, place = '' } = {}): fc.Arbitrary<unknown> {
    const made = this.#made(schema, depth);
    const known = this.#known[place] ?? this.#known[name.toLowerCase()];
    if (known === undefined) return made;
    const value = fc.constantFrom(...known);
    const fitting = schema['type'] === 'array' ? fc.array(value, { maxLength: 3 }) : value;
    return fc.oneof({ arbitrary: fitting, weight: 3 }, { arbitrary: made, weight: 1 });
  }

  #made(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const { $ref, type } = schema;
    if (typeof $ref === 'string') {
      const component = this.#components[$ref.split('/').at(-1) ?? ''];
      return this.#made(isJsonObject(component) ? component : {}, depth);
    }
    if ('const' in schema) return fc.constant(schema['const']);
    const options = listOf(schema['enum']) ?? undefined;
    if (options !== undefined) return fc.constantFrom(...options);
    const branches = listOf(schema['anyOf']) ?? listOf(schema['oneOf']);
    if (branches !== undefined) {
      return fc.oneof(...branches.map((branch) => this.#made(branch as JsonSchema, depth)));
    }
    const types = Array.isArray(type) ? (type as string[]) : [type as string | undefined];
    return fc.oneof(...types.map((one) => this.#ofType(one, schema, depth)));
  }

  #ofType(type: string | undefined, schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    switch (type) {
      case 'string':
        return textOf(schema);
      case 'integer':
        return integerOf(schema);
      case 'number':
        return numberOf(schema);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return this.#listOf(schema, depth);
      case 'object':
        return this.#objectOf(schema, depth);
      default:
        return anything;
    }
  }

  #listOf(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const parts = listOf(schema['prefixItems']);
    if (parts !== undefined) {
      return fc.tuple(...parts.map((part) => this.#made(part as JsonSchema, depth + 1)));
    }
    const least = Number(schema['minItems'] ?? 0);
    const most = Math.min(Number(schema['maxItems'] ?? ITEMS_MAX), least + ITEMS_MAX);
    const { items } = schema;
    return fc.array(isJsonObject(items) ? this.#made(items, depth + 1) : anything, {
      minLength: least,
      maxLength: depth > DEPTH_MAX ? least : most,
    });
  }

  #objectOf(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const properties = Object.entries(Object(schema['properties']) as Record<string, JsonSchema>);
    const required = (listOf(schema['required']) ?? []) as string[];
    const wanted = properties.filter(([name]) => depth <= DEPTH_MAX || required.includes(name));
    const members = fc.record(
      Object.fromEntries(
        wanted.map(([name, property]) => [name, this.of(property, name, { depth: depth + 1 })]),
      ),
      { requiredKeys: required.filter((name) => wanted.some(([one]) => one === name)) },
    );
    const { additionalProperties: more, propertyNames } = schema;
    if (!isJsonObject(more)) return members;
    const names = isJsonObject(propertyNames)
      ? this.#made(propertyNames, depth).map(String)
      : fc.oneof(fc.constantFrom(...this.#names), fc.string({ maxLength: 12 }));
    const others = fc.dictionary(names, this.#made(more, depth + 1), {
      maxKeys: depth > DEPTH_MAX ? 0 : 2,
    });
    return fc.tuple(others, members).map(([some, own]) => ({ ...some, ...own }));
  }

  /** Those of types and fields, which are what names of members are names of. */
  get #names(): readonly string[] {
    return ['type', 'field'].flatMap((name) => this.#known[name] ?? []).map(String);
  }
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}

function textOf(schema: JsonSchema): fc.Arbitrary<string> {
  const { format, pattern } = schema;
  const least = Number(schema['minLength'] ?? 0);
  const most = Math.min(Number(schema['maxLength'] ?? CHARACTERS_MAX), least + CHARACTERS_MAX);
  const times = { noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') };
  if (format === 'date-time') return fc.date(times).map((date) => date.toISOString());
  if (format === 'date') return fc.date(times).map((date) => date.toISOString().slice(0, 10));
  if (format === 'uri') return ADDRESS;
  if (format === 'email') return fc.emailAddress();
  if (typeof pattern === 'string') {
    const fits = (text: string): boolean =>
      text.length >= least && text.length <= Number(schema['maxLength'] ?? text.length);
    // What looks ahead is not to be had from patterns: of those there is one, of paths.
    if (pattern.includes('(?!')) return fc.constantFrom('/', '/#/explore', '/a?b=c');
    return fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' }).filter(fits);
  }
  return fc.string({ minLength: least, maxLength: most, unit: 'grapheme' }).filter(
    // A grapheme may be several characters.
    (text) => text.length <= Math.max(most, Number(schema['maxLength'] ?? text.length)),
  );
}

function integerOf(schema: JsonSchema): fc.Arbitrary<number> {
  const min = Number(schema['minimum'] ?? -1_000);
  const max = Number(schema['maximum'] ?? Math.max(min, 0) + 1_000);
  return fc.oneof(
    fc.integer({ min, max: Math.min(max, min + 20) }),
    fc.constantFrom(min, max),
    fc.integer({ min: Math.max(min, -(2 ** 31)), max: Math.min(max, 2 ** 31 - 1) }),
  );
}

function numberOf(schema: JsonSchema): fc.Arbitrary<number> {
  const above = schema['exclusiveMinimum'];
  const min = Number(schema['minimum'] ?? above ?? -1_000);
  const max = Number(schema['maximum'] ?? Math.max(min, 0) + 1_000);
  const minExcluded = above !== undefined;
  return fc.double({ min, max, minExcluded, noNaN: true, noDefaultInfinity: true });
}
