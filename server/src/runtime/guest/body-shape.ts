import { freeze, hasOwn, isArray, keys, stringify, text } from './primordials.ts';

/** A JSON Schema, with those keywords that `compile/type-schema.ts` writes. */
export interface BodySchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly anyOf?: readonly BodySchema[];
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: BodySchema;
  readonly items?: BodySchema;
  readonly prefixItems?: readonly BodySchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, BodySchema>>;
}

/** What a script gives beside its endpoint where the type of its body says something. */
export interface BodyShape {
  readonly schema: BodySchema;
  readonly isOptional: boolean;
}

export interface BodyFault {
  /** Names and places joined with "."; empty for the body itself. */
  readonly path: string;
  readonly message: string;
}

/** More are not looked for. */
const FAULTS_MAX = 50;
/** Only types that contain themselves are as deep. */
const DEPTH_MAX = 200;
const DEFINITIONS = '#/$defs/';
const REFERENCE_START = DEFINITIONS.length;
const NOTHING: BodySchema = freeze({});

/** What is wrong with a body; members that its schema does not name are allowed. */
export function faultsOfBody(body: unknown, { schema, isOptional }: BodyShape): BodyFault[] {
  const faults: BodyFault[] = [];
  if (body === undefined && isOptional) return faults;
  new BodyCheck(schema.$defs ?? {}, faults).check(body, schema, '', 0);
  return faults;
}

class BodyCheck {
  readonly #definitions: Readonly<Record<string, BodySchema>>;
  readonly #faults: BodyFault[];

  constructor(definitions: Readonly<Record<string, BodySchema>>, faults: BodyFault[]) {
    this.#definitions = definitions;
    this.#faults = faults;
  }

  check(value: unknown, given: BodySchema, path: string, depth: number): void {
    const faults = this.#faults;
    if (faults.length >= FAULTS_MAX) return;
    const schema = this.#resolved(given);
    if (depth > DEPTH_MAX) {
      this.#add(path, `Too deep: expected at most ${DEPTH_MAX} levels`);
    } else if (schema.anyOf !== undefined) {
      this.#checkAny(value, schema.anyOf, path, depth);
    } else if (!isOfType(value, schema.type)) {
      this.#add(path, `Invalid input: expected ${typesOf(schema)}, received ${typeOf(value)}`);
    } else if ('const' in schema ? value !== schema.const : !isOneOf(value, schema.enum)) {
      this.#add(path, `Invalid input: expected ${typesOf(schema)}`);
    } else if (schema.format === 'date-time' && typeof value === 'string' && !isMoment(value)) {
      this.#add(path, 'Invalid ISO datetime');
    } else if (isArray(value)) {
      this.#checkItems(value, schema, path, depth);
    } else if (typeof value === 'object' && value !== null) {
      this.#checkMembers(value as Readonly<Record<string, unknown>>, schema, path, depth);
    }
  }

  /** The faults of the one alternative that can be meant, when there is only one. */
  #checkAny(
    value: unknown,
    alternatives: readonly BodySchema[],
    path: string,
    depth: number,
  ): void {
    let meant: BodySchema | undefined;
    let candidates = 0;
    let expected = '';
    for (let at = 0; at < alternatives.length; at++) {
      const schema = this.#resolved(alternatives[at] ?? NOTHING);
      if (this.#fits(value, schema, depth)) return;
      if (isOfType(value, schema.type) && this.#isMeant(value, schema)) {
        meant = schema;
        candidates++;
      }
      expected += (at === 0 ? '' : ' or ') + typesOf(schema);
    }
    if (candidates === 1 && meant !== undefined) this.check(value, meant, path, depth);
    else this.#add(path, `Invalid input: expected ${expected}, received ${typeOf(value)}`);
  }

  #fits(value: unknown, schema: BodySchema, depth: number): boolean {
    const faults: BodyFault[] = [];
    new BodyCheck(this.#definitions, faults).check(value, schema, '', depth);
    return faults.length === 0;
  }

  /** Whether the members that tell one alternative from another are its own. */
  #isMeant(value: unknown, { properties = {} }: BodySchema): boolean {
    const names = keys(properties);
    for (let at = 0; at < names.length; at++) {
      const name = names[at] ?? '';
      const member = properties[name];
      if (member === undefined || !('const' in member)) continue;
      if ((value as Readonly<Record<string, unknown>>)[name] !== member.const) return false;
    }
    return true;
  }

  #checkItems(
    items: readonly unknown[],
    { items: rest, prefixItems = [], minItems = 0, maxItems = Infinity }: BodySchema,
    path: string,
    depth: number,
  ): void {
    const { length } = items;
    if (length < minItems) {
      this.#add(path, `Too small: expected array to have >=${minItems} items`);
    }
    if (length > maxItems) this.#add(path, `Too big: expected array to have <=${maxItems} items`);
    if (rest === undefined && prefixItems.length === 0) return;
    for (let at = 0; at < length && this.#faults.length < FAULTS_MAX; at++) {
      const schema = at < prefixItems.length ? prefixItems[at] : rest;
      if (schema !== undefined) this.check(items[at], schema, inside(path, text(at)), depth + 1);
    }
  }

  #checkMembers(
    members: Readonly<Record<string, unknown>>,
    { properties = {}, required = [], additionalProperties: others }: BodySchema,
    path: string,
    depth: number,
  ): void {
    for (let at = 0; at < required.length; at++) {
      const name = required[at] ?? '';
      if (hasOwn(members, name)) continue;
      // What may be anything may also be left out.
      const schema = properties[name] ?? NOTHING;
      if (keys(schema).length > 0) this.check(undefined, schema, inside(path, name), depth + 1);
    }
    const names = keys(others === undefined ? properties : members);
    for (let at = 0; at < names.length; at++) {
      const name = names[at] ?? '';
      if (!hasOwn(members, name)) continue;
      const schema = hasOwn(properties, name) ? properties[name] : others;
      if (schema !== undefined) this.check(members[name], schema, inside(path, name), depth + 1);
    }
  }

  #resolved(schema: BodySchema): BodySchema {
    if (schema.$ref === undefined) return schema;
    return this.#definitions[schema.$ref.slice(REFERENCE_START)] ?? NOTHING;
  }

  #add(path: string, message: string): void {
    if (this.#faults.length < FAULTS_MAX) this.#faults[this.#faults.length] = { path, message };
  }
}

function inside(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function isOfType(value: unknown, type: BodySchema['type']): boolean {
  if (type === undefined) return true;
  const found = typeOf(value);
  return typeof type === 'string' ? found === type : type[0] === found || type[1] === found;
}

function isOneOf(value: unknown, values: BodySchema['enum']): boolean {
  if (values === undefined) return true;
  for (let at = 0; at < values.length; at++) if (values[at] === value) return true;
  return false;
}

/** As JSON Schema calls it; `undefined` for what is not there. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return isArray(value) ? 'array' : typeof value;
}

function typesOf(schema: BodySchema): string {
  const { type, enum: values } = schema;
  if ('const' in schema) return stringify(schema.const);
  if (values !== undefined) return joined(values, stringify);
  if (type === undefined) return schema.anyOf === undefined ? 'anything' : 'another type';
  return typeof type === 'string' ? type : joined(type, text);
}

function joined(values: readonly unknown[], write: (value: unknown) => string): string {
  let all = '';
  for (let at = 0; at < values.length; at++) all += (at === 0 ? '' : ' or ') + write(values[at]);
  return all;
}

const DateAtFirst = Date;
const isNotANumber = Number.isNaN;

function isMoment(value: string): boolean {
  return !isNotANumber(new DateAtFirst(value).valueOf());
}
