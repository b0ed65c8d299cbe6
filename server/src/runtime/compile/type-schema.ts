import {
  type Checker,
  ElementFlags,
  type LiteralType,
  SignatureKind,
  type Symbol as CompilerSymbol,
  SymbolFlags,
  type TupleType,
  type Type,
  TypeFlags,
  type TypeReference,
} from 'typescript/unstable/async';
import type { JsonSchema } from '@trellis/contract/openapi/shape-schemas.ts';
import {
  TYPE_SCHEMA_DEPTH_MAX,
  TYPE_SCHEMA_DESCRIPTION_CHARACTERS_MAX,
  TYPE_SCHEMA_TYPES_MAX,
} from '#base/endpoint-limits.ts';

/** Which way JSON goes: what an endpoint takes is checked, what it gives is described. */
export type Direction = 'input' | 'output';

export interface TypeSchemaOptions {
  readonly checker: Checker;
  readonly direction: Direction;
  /** The file of the ambient scope: what it declares of the workspace changes with its schema. */
  readonly scopeFile: string;
  /** The names of types, edges and fields that there are now. */
  readonly schemaNames: ReadonlySet<string>;
  /** Whether the code itself takes such names from the scope. */
  readonly namesSchema: boolean;
}

/** A value of a type, as JSON. */
export interface ValueSchema {
  /** Without keywords it says nothing. */
  readonly schema: JsonSchema;
  /** Whether there may be no value at all. */
  readonly isOptional: boolean;
  /** What is not said by the schema, and why: sentences for whoever writes the code. */
  readonly notices: readonly string[];
}

/** Thrown where a type has more parts than are looked at. */
class TypeTooLarge extends Error {
  override readonly name = 'TypeTooLarge';
}

const ANYTHING: JsonSchema = {};

/** Where a type stands. */
interface Place {
  /** As people write it: `body.words[].text`. */
  readonly path: string;
  /** The types around it, by id. */
  readonly around: readonly number[];
  /** Whether names of the live schema in it come from there: then they are no constraint. */
  readonly isAmbient: boolean;
}

/**
 * The JSON Schema (draft 2020-12) of a type. Types are open, and so are the schemas: members that a
 * type does not name are allowed.
 */
export async function schemaOfType(
  type: Type,
  name: string,
  options: TypeSchemaOptions,
): Promise<ValueSchema> {
  const writer = new TypeSchema(options);
  try {
    const { schema, isOptional } = await writer.value(type, {
      path: name,
      around: [],
      isAmbient: options.namesSchema,
    });
    return { schema: writer.withDefinitions(schema), isOptional, notices: writer.notices };
  } catch (error) {
    if (!(error instanceof TypeTooLarge)) throw error;
    const notice = `The type of ${name} has too many parts: ${name} is not checked or described.`;
    return { schema: ANYTHING, isOptional: true, notices: [notice] };
  }
}

class TypeSchema {
  readonly #options: TypeSchemaOptions;
  readonly #checker: Checker;
  readonly #isInput: boolean;
  /** Names of types that contain themselves, by id. */
  readonly #names = new Map<number, string>();
  readonly #definitions = new Map<string, JsonSchema>();
  readonly #notices = new Set<string>();
  #types = 0;

  constructor(options: TypeSchemaOptions) {
    this.#options = options;
    this.#checker = options.checker;
    this.#isInput = options.direction === 'input';
  }

  get notices(): string[] {
    return [...this.#notices];
  }

  withDefinitions(schema: JsonSchema): JsonSchema {
    if (this.#definitions.size === 0) return schema;
    return { ...schema, $defs: Object.fromEntries(this.#definitions) };
  }

  /** A value that may be left out: `undefined` is not in JSON. */
  async value(
    type: Type,
    place: Place,
  ): Promise<{ readonly schema: JsonSchema; readonly isOptional: boolean }> {
    const types = type.isUnionType() ? await type.getTypes() : [type];
    const defined = types.filter(({ flags }) => (flags & TypeFlags.VoidLike) === 0);
    const isOptional =
      defined.length < types.length || types.some(({ flags }) => (flags & ANYTHING_FLAGS) !== 0);
    return { schema: await this.#union(defined, place), isOptional };
  }

  async #schema(type: Type, place: Place): Promise<JsonSchema> {
    return (await this.value(type, place)).schema;
  }

  async #union(types: readonly Type[], place: Place): Promise<JsonSchema> {
    const literals = types.filter((one) => (one.flags & CONSTANT_FLAGS) !== 0);
    const others = types.filter((one) => !literals.includes(one));
    const schemas = this.#constants(literals, place);
    for (const other of others) schemas.push(await this.#one(other, place));
    const [first = ANYTHING] = schemas;
    if (schemas.length < 2) return first;
    return schemas.some((schema) => Object.keys(schema).length === 0)
      ? ANYTHING
      : { anyOf: schemas };
  }

  /**
   * Booleans come as the union of both. Of names of the live schema any text is taken, as there
   * will be others.
   */
  #constants(literals: readonly Type[], { isAmbient }: Place): JsonSchema[] {
    const { schemaNames } = this.#options;
    const values = literals.map((one) => (isLiteral(one) ? one.value : null));
    const isBoolean = values.includes(true) && values.includes(false);
    const isName = isAmbient && values.some((value) => schemaNames.has(String(value)));
    const kept = values.filter(
      (value) =>
        !(isBoolean && typeof value === 'boolean') && !(isName && typeof value === 'string'),
    );
    const [first] = kept;
    return [
      ...(isName ? [{ type: 'string' }] : []),
      ...(isBoolean ? [{ type: 'boolean' }] : []),
      ...(kept.length > 1 ? [{ enum: kept }] : []),
      ...(kept.length === 1 ? [first === null ? { type: 'null' } : { const: first }] : []),
    ];
  }

  async #one(type: Type, place: Place): Promise<JsonSchema> {
    if (++this.#types > TYPE_SCHEMA_TYPES_MAX) throw new TypeTooLarge();
    const { flags } = type;
    if ((flags & TypeFlags.StringLike) !== 0) return { type: 'string' };
    if ((flags & TypeFlags.Number) !== 0) return { type: 'number' };
    if ((flags & TypeFlags.Boolean) !== 0) return { type: 'boolean' };
    if ((flags & TypeFlags.NonPrimitive) !== 0) return { type: ['object', 'array'] };
    if ((flags & (TypeFlags.BigIntLike | TypeFlags.ESSymbolLike)) !== 0) {
      return this.#unsaid(place, 'a type that JSON does not have');
    }
    if (type.isIntersectionType()) return this.#intersection(type, await type.getTypes(), place);
    return type.isObjectType() ? this.#object(type, place) : ANYTHING;
  }

  /** A text with a brand is a text. */
  async #intersection(type: Type, types: readonly Type[], place: Place): Promise<JsonSchema> {
    const primitive = types.find(({ flags }) => (flags & TypeFlags.Primitive) !== 0);
    return primitive === undefined ? this.#structure(type, place) : this.#schema(primitive, place);
  }

  async #object(type: Type, place: Place): Promise<JsonSchema> {
    const checker = this.#checker;
    if (await checker.isArrayType(type)) {
      const [item] = await checker.getTypeArguments(type as TypeReference);
      return this.#nested(type, place, async (within) => ({
        type: 'array',
        ...(item === undefined ? {} : withKeywords('items', await this.#item(item, within))),
      }));
    }
    if (await checker.isTupleType(type)) {
      return this.#nested(type, place, (within) => this.#tuple(type as TypeReference, within));
    }
    const symbol = await type.getSymbol();
    if (symbol !== undefined && isOfLibrary(symbol)) {
      if (symbol.name === 'Date') return { type: 'string', format: 'date-time' };
      return this.#unsaid(place, `a ${symbol.name}, which JSON does not have`);
    }
    const isOfSchema = await this.#isOfSchema(type, symbol);
    if (this.#isInput && isOfSchema) return { type: 'object' };
    const calls = await checker.getSignaturesOfType(type, SignatureKind.Call);
    if (calls.length > 0) return this.#unsaid(place, 'a function, which JSON does not have');
    const schema = await this.#structure(type, place);
    // By its name those who have the types of the workspace find the one that it has become.
    const isNode = isOfSchema && symbol?.name.endsWith('Node') === true && !('$ref' in schema);
    return isNode ? { title: symbol.name, ...schema } : schema;
  }

  /** In an array JSON writes null for what is not there. */
  async #item(type: Type, place: Place, mayBeLeftOut = false): Promise<JsonSchema> {
    const { schema, isOptional } = await this.value(type, inside(place, '[]'));
    return (isOptional || mayBeLeftOut) && Object.keys(schema).length > 0
      ? { anyOf: [schema, { type: 'null' }] }
      : schema;
  }

  async #tuple(type: TypeReference, place: Place): Promise<JsonSchema> {
    const target = (await type.getTarget()) as TupleType;
    const items = await this.#checker.getTypeArguments(type);
    const prefixItems: JsonSchema[] = [];
    let rest: JsonSchema | undefined;
    let minItems = 0;
    for (const [at, flags] of target.elementFlags.entries()) {
      const item = items[at];
      if (item === undefined) break;
      // What follows a rest stands at no fixed place.
      if ((flags & ElementFlags.Variable) !== 0 || rest !== undefined) {
        rest = rest === undefined ? await this.#item(item, place) : ANYTHING;
      } else {
        const mayBeLeftOut = (flags & ElementFlags.Optional) !== 0;
        prefixItems.push(await this.#item(item, place, mayBeLeftOut));
      }
      if ((flags & ElementFlags.Required) !== 0) minItems++;
    }
    const isClosed = rest === undefined;
    return {
      type: 'array',
      ...(prefixItems.length > 0 ? { prefixItems } : {}),
      ...(rest === undefined ? {} : withKeywords('items', rest)),
      minItems,
      ...(isClosed ? { maxItems: prefixItems.length } : {}),
    };
  }

  /** Members by name, and what an index signature says of all others. */
  #structure(type: Type, place: Place): Promise<JsonSchema> {
    return this.#nested(type, place, (within) => this.#members(type, within));
  }

  /** What stands in a type; a type that stands in itself becomes a definition. */
  async #nested(
    type: Type,
    place: Place,
    make: (within: Place) => Promise<JsonSchema>,
  ): Promise<JsonSchema> {
    if (place.around.includes(type.id)) return { $ref: `#/$defs/${await this.#nameOf(type)}` };
    if (place.around.length >= TYPE_SCHEMA_DEPTH_MAX) return this.#unsaid(place, 'nested too deep');
    const schema = await make({ ...place, around: [...place.around, type.id] });
    const name = this.#names.get(type.id);
    if (name === undefined) return schema;
    this.#definitions.set(name, schema);
    return { $ref: `#/$defs/${name}` };
  }

  async #members(type: Type, place: Place): Promise<JsonSchema> {
    const checker = this.#checker;
    const all = await checker.getPropertiesOfType(type);
    const members = all.filter(({ name }) => !name.startsWith('__@') && !name.startsWith('#'));
    const types = members.length === 0 ? [] : await checker.getTypeOfSymbol(members);
    const indexes = await checker.getIndexInfosOfType(type);
    if (members.length === 0 && indexes.length === 0) return ANYTHING;
    const properties: [string, JsonSchema][] = [];
    const required: string[] = [];
    for (const [at, member] of members.entries()) {
      const memberType = types[at];
      if (memberType === undefined) continue;
      const described = await this.#member(member, memberType, place);
      if (described === undefined) continue;
      properties.push([member.name, described.schema]);
      if (!described.isOptional) required.push(member.name);
    }
    const [index] = indexes;
    const others =
      index === undefined ? undefined : await this.#schema(index.valueType, inside(place, '[]'));
    return {
      type: 'object',
      ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
      ...(required.length > 0 ? { required } : {}),
      ...(others === undefined ? {} : withKeywords('additionalProperties', others)),
    };
  }

  /** Undefined for a method of what is given: JSON leaves it out. */
  async #member(
    member: CompilerSymbol,
    type: Type,
    place: Place,
  ): Promise<{ readonly schema: JsonSchema; readonly isOptional: boolean } | undefined> {
    const isMethod = (member.flags & SymbolFlags.Method) !== 0;
    if (!this.#isInput && (isMethod || (await this.#isFunction(type)))) return undefined;
    const isOfScope = this.#isOfScope(member);
    // A field of a node may get another type.
    const isLive = this.#isInput && isOfScope && this.#options.schemaNames.has(member.name);
    const [{ schema, isOptional }, documentation] = await Promise.all([
      isLive
        ? { schema: ANYTHING, isOptional: true }
        : this.value(type, {
            ...inside(place, `.${member.name}`),
            isAmbient: place.isAmbient || isOfScope,
          }),
      this.#checker.getDocumentationCommentOfSymbol(member),
    ]);
    const description = documentation.trim().slice(0, TYPE_SCHEMA_DESCRIPTION_CHARACTERS_MAX);
    return {
      schema: description === '' ? schema : { ...schema, description },
      isOptional: isOptional || (member.flags & SymbolFlags.Optional) !== 0,
    };
  }

  async #isFunction(type: Type): Promise<boolean> {
    if (!type.isObjectType()) return false;
    return (await this.#checker.getSignaturesOfType(type, SignatureKind.Call)).length > 0;
  }

  /** Gives a type that contains itself a name of its own. */
  async #nameOf(type: Type): Promise<string> {
    const known = this.#names.get(type.id);
    if (known !== undefined) return known;
    const symbol = (await type.getAliasSymbol()) ?? (await type.getSymbol());
    const plain = /^[A-Za-z]\w*$/.test(symbol?.name ?? '') ? String(symbol?.name) : 'Part';
    const taken = new Set(this.#names.values());
    const name = taken.has(plain) ? `${plain}${taken.size + 1}` : plain;
    this.#names.set(type.id, name);
    return name;
  }

  #unsaid({ path }: Place, why: string): JsonSchema {
    const means = this.#isInput ? 'not checked' : 'not described';
    this.#notices.add(`${path} is ${means}: its type is ${why}.`);
    return ANYTHING;
  }

  #isOfScope(symbol: CompilerSymbol | undefined): boolean {
    const path = symbol?.declarations[0]?.path;
    return path !== undefined && String(path) === this.#options.scopeFile;
  }

  /** Whether it is made of the live schema: see `scope-types.ts`. */
  async #isOfSchema(type: Type, symbol: CompilerSymbol | undefined): Promise<boolean> {
    if (!this.#isOfScope(symbol)) return false;
    const isNode = symbol?.name.endsWith('Node') === true;
    return isNode || (await type.getAliasSymbol())?.name === 'FieldsOf';
  }
}

/** Without the keyword where it would say nothing. */
function withKeywords(keyword: string, schema: JsonSchema): JsonSchema {
  return Object.keys(schema).length === 0 ? {} : { [keyword]: schema };
}

const ANYTHING_FLAGS = TypeFlags.Any | TypeFlags.Unknown;
const CONSTANT_FLAGS =
  TypeFlags.StringLiteral | TypeFlags.NumberLiteral | TypeFlags.BooleanLiteral | TypeFlags.Null;

function isLiteral(type: Type): type is LiteralType {
  return (type.flags & TypeFlags.Literal) !== 0;
}

function inside({ path, ...place }: Place, step: string): Place {
  return { ...place, path: path + step };
}

/** A class or an interface of the language itself; not what is written with its helper types. */
function isOfLibrary({ flags, declarations }: CompilerSymbol): boolean {
  if ((flags & (SymbolFlags.Class | SymbolFlags.Interface)) === 0) return false;
  return /\/lib\.[\w.]+\.d\.ts$/.test(String(declarations[0]?.path));
}
