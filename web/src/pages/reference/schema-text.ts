import { arrayOf, objectOf, type Schema } from './described-api.ts';

const COMPONENTS = '#/components/schemas/';

/**
 * A schema as a type of TypeScript; a comment says what such a type cannot. Named shapes are named.
 */
export function schemaText(schema: Schema, indent = ''): string {
  const { $ref } = schema;
  if (typeof $ref === 'string') return $ref.replace(COMPONENTS, '');
  if ('const' in schema) return JSON.stringify(schema['const']);
  for (const [keyword, sign] of [
    ['enum', ' | '],
    ['anyOf', ' | '],
    ['oneOf', ' | '],
    ['allOf', ' & '],
  ] as const) {
    const parts = arrayOf(schema[keyword]);
    if (parts.length > 0) {
      return parts
        .map((part) =>
          keyword === 'enum' ? JSON.stringify(part) : schemaText(objectOf(part), indent),
        )
        .join(sign);
    }
  }
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  return types.map((type) => textOfType(type, schema, indent)).join(' | ');
}

function textOfType(type: unknown, schema: Schema, indent: string): string {
  switch (type) {
    case 'array':
      return listText(schema, indent);
    case 'object':
      return objectText(schema, indent);
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    default:
      return 'any';
  }
}

function listText(schema: Schema, indent: string): string {
  const parts = arrayOf(schema['prefixItems']);
  if (parts.length > 0) {
    return `[${parts.map((part) => schemaText(objectOf(part), indent)).join(', ')}]`;
  }
  const item = schemaText(objectOf(schema['items']), indent);
  return / [|&] /.test(item) ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: Schema, indent: string): string {
  const required = arrayOf(schema['required']);
  const inner = `${indent}  `;
  const members = Object.entries(objectOf(schema['properties'])).map(([name, property]) => {
    const mark = required.includes(name) ? '' : '?';
    const rules = rulesOf(objectOf(property));
    const shown = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
    const note = rules === '' ? '' : `  // ${rules}`;
    const says = commentOf(objectOf(property)['description'], inner);
    return `${says}${inner}${shown}${mark}: ${schemaText(objectOf(property), inner)};${note}`;
  });
  const more = schema['additionalProperties'];
  if (typeof more === 'object' && more !== null) {
    members.push(`${inner}[name: string]: ${schemaText(objectOf(more), inner)};`);
  }
  return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n${indent}}`;
}

const COMMENT_COLUMNS = 88;

/** What a member is, in lines above it. */
function commentOf(text: unknown, indent: string): string {
  if (typeof text !== 'string') return '';
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && indent.length + longer.length < COMMENT_COLUMNS) {
      lines[lines.length - 1] = longer;
    } else lines.push(`// ${word}`);
  }
  return lines.map((line) => `${indent}${line}\n`).join('');
}

/** Keyword, what stands before its value, and what it counts. */
const RULES: readonly (readonly [string, string, string?])[] = [
  ['format', ''],
  ['pattern', 'matches '],
  ['minimum', 'at least '],
  ['exclusiveMinimum', 'above '],
  ['maximum', 'at most '],
  ['minLength', 'at least ', 'character'],
  ['maxLength', 'at most ', 'character'],
  ['minItems', 'at least ', 'item'],
  ['maxItems', 'at most ', 'item'],
  ['default', 'default '],
];

/** What a value must keep to beyond its type. */
export function rulesOf(schema: Schema): string {
  return RULES.flatMap(([keyword, words, counted]) => {
    const rule = schema[keyword];
    if (rule === undefined) return [];
    const value = typeof rule === 'object' ? JSON.stringify(rule) : String(rule);
    if (counted === undefined) return [words + value];
    return [`${words}${value} ${counted}${rule === 1 ? '' : 's'}`];
  }).join(', ');
}

/**
 * The named shapes that the schemas lead to, each once, in the order in which a reader meets them.
 */
export function shapesIn(
  schemas: readonly Schema[],
  shapes: Readonly<Record<string, Schema>>,
): readonly string[] {
  const found = new Set<string>();
  const waiting: unknown[] = [...schemas];
  for (let value = waiting.shift(); value !== undefined; value = waiting.shift()) {
    if (Array.isArray(value)) waiting.unshift(...(value as unknown[]));
    else if (typeof value === 'object' && value !== null) {
      const { $ref, ...rest } = value as Schema;
      const name = typeof $ref === 'string' ? $ref.replace(COMPONENTS, '') : undefined;
      if (name !== undefined && name in shapes && !found.has(name)) {
        found.add(name);
        waiting.push(shapes[name]);
      }
      waiting.unshift(...Object.values(rest));
    }
  }
  return [...found];
}
