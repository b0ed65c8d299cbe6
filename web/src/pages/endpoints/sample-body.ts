/** A JSON Schema, as far as a sample needs it. */
type Schema = Readonly<Record<string, unknown>>;

const DEPTH_MAX = 8;

/** A body of the schema's types, as JSON text; empty where it says nothing. */
export function sampleBody(schema: Schema | null): string {
  if (schema === null) return '';
  const value = sampleOf(schema, asSchema(schema['$defs']), 0);
  return value === undefined ? '' : JSON.stringify(value, undefined, 2);
}

function sampleOf(given: Schema, definitions: Schema, depth: number): unknown {
  const schema = resolved(given, definitions);
  if ('default' in schema) return schema['default'];
  if ('const' in schema) return schema['const'];
  const [first] = [schema['enum'], schema['examples']].flatMap(asList);
  if (first !== undefined) return first;
  const [alternative] = [schema['anyOf'], schema['oneOf']].flatMap(asList);
  if (alternative !== undefined) return sampleOf(asSchema(alternative), definitions, depth);
  const [type] = typeof schema['type'] === 'string' ? [schema['type']] : asList(schema['type']);
  switch (type) {
    case 'string':
      return '';
    case 'number':
    case 'integer':
      return typeof schema['minimum'] === 'number' && schema['minimum'] > 0 ? schema['minimum'] : 0;
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'array':
      return itemsOf(schema, definitions, depth);
    case 'object':
      return membersOf(schema, definitions, depth);
    default:
      return undefined;
  }
}

/** Those that a tuple must have. */
function itemsOf(schema: Schema, definitions: Schema, depth: number): unknown[] {
  const wanted = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0;
  return asList(schema['prefixItems'])
    .slice(0, wanted)
    .map((item) => sampleOf(asSchema(item), definitions, depth + 1) ?? null);
}

/** Those that are required, and those that are given anyway. */
function membersOf(schema: Schema, definitions: Schema, depth: number): Schema {
  if (depth >= DEPTH_MAX) return {};
  const required = asList(schema['required']);
  const members = Object.entries(asSchema(schema['properties']))
    .filter(([name, member]) => required.includes(name) || 'default' in asSchema(member))
    .map(([name, member]) => [name, sampleOf(asSchema(member), definitions, depth + 1) ?? null]);
  return Object.fromEntries(members) as Schema;
}

function resolved(schema: Schema, definitions: Schema): Schema {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  return asSchema(definitions[$ref.replace('#/$defs/', '')]);
}

function asSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Schema)
    : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
