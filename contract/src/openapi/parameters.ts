import type { z } from 'zod';
import type { Operation } from '../operation.ts';
import { parameterExample } from './examples/examples.ts';
import { isJsonObject, type JsonSchema, type ShapeSchemas } from './shape-schemas.ts';

/** Parameters that many operations have, by the name of their component. */
export const sharedParameters = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'A name of your own for this request; what is no short plain text is replaced. The answer carries it.',
    schema: { type: 'string' },
  },
  MinSequence: {
    name: 'X-MSK-Min-Sequence',
    in: 'header',
    description:
      'A sequence that the answer must reflect, as an earlier answer gave it in `X-MSK-Sequence`: a replica waits for it for 2 seconds.',
    schema: { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 },
  },
} as const;

const REST = 'Slashes may stand as they are, or as %2F.';

export function parametersOf(operation: Operation, schemas: ShapeSchemas): object[] {
  const { path, params, query, headers, area } = operation;
  const shared = area === 'status' ? ['RequestId'] : ['RequestId', 'MinSequence'];
  return [
    ...fieldsOf(params, schemas).map(({ name, description, schema }) => ({
      name,
      in: 'path',
      required: true,
      description: path.includes(`{+${name}}`) ? `${description} ${REST}` : description,
      ...parameterExample(operation, 'params', name, schema),
      schema,
    })),
    ...fieldsOf(query, schemas).map((field) => ({
      ...field,
      in: 'query',
      ...listStyle(field),
      ...parameterExample(operation, 'query', field.name, field.schema),
    })),
    ...(isOpen(query) ? [ANYTHING_ELSE] : []),
    ...fieldsOf(headers, schemas).map((field) => ({ ...field, in: 'header' })),
    ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

function fieldsOf(shape: z.ZodObject | undefined, schemas: ShapeSchemas): Field[] {
  if (shape === undefined) return [];
  const sent = schemas.of(shape, 'input');
  const read = propertiesOf(schemas.of(shape, 'output'));
  const required = Array.isArray(sent['required']) ? sent['required'] : [];
  return Object.entries(propertiesOf(sent)).map(([name, { description, ...schema }]) => ({
    name,
    required: required.includes(name),
    description: String(description ?? ''),
    schema: meant(schema, read[name] ?? {}),
  }));
}

function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return isJsonObject(properties) ? (properties as Record<string, JsonSchema>) : {};
}

/**
 * All parameters travel as text; where a number, a list or a flag is read from it, that is what it
 * is.
 */
function meant(sent: JsonSchema, read: JsonSchema): JsonSchema {
  const { description: _text, ...value } = read;
  if (JSON.stringify(sent['enum']) === '["true","false"]') {
    const { default: fallback } = sent;
    return { type: 'boolean', ...(fallback === undefined ? {} : { default: fallback === 'true' }) };
  }
  return ['integer', 'number', 'array'].includes(String(value['type'])) ? value : sent;
}

/** A list has its items in one value, with "," between. */
function listStyle({ schema }: Field): object {
  return schema['type'] === 'array' ? { style: 'form', explode: false } : {};
}

function isOpen(shape: z.ZodObject | undefined): boolean {
  return shape?._zod.def.catchall?._zod.def.type === 'unknown';
}

const ANYTHING_ELSE = {
  name: 'others',
  in: 'query',
  description: 'Whatever else the other side sends along.',
  style: 'form',
  explode: true,
  schema: { type: 'object', additionalProperties: { type: 'string' } },
} as const;
