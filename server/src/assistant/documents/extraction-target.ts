import { EVIDENCE_EDGE, EVIDENCE_INVERSE } from '@trellis/contract/evidence.ts';
import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { z } from 'zod';
import { AGENT_SCHEMA_CHARACTERS_MAX } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import { isSystemName } from '#graph/names.ts';
import type { GraphReader } from '#graph/reader.ts';
import { NODE_KEY_BYTES_MAX } from '#base/limits.ts';
import type { Values } from './evidence.ts';

/** The edges from nodes to the documents that say so, and their fields. */
export const EVIDENCE_SCHEMA: SchemaDocument = {
  nodes: [],
  edges: [
    {
      type: EVIDENCE_EDGE,
      inverse: EVIDENCE_INVERSE,
      fields: { Quote: 'String', Page: 'Int', Confidence: 'Double' },
    },
  ],
};

const key = z
  .string()
  .trim()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= NODE_KEY_BYTES_MAX && text.isWellFormed());
/** Without trimming: what a quote is compared with folds it. */
const quote = z.string().min(1);
const confidence = z.number().min(0).max(1);

const end = z.strictObject({ type: z.string(), key });

/** What a model proposes as a node. */
const nodeAnswer = z.object({
  type: z.string(),
  key,
  fields: z.record(z.string(), z.unknown()).default({}),
  confidence,
  quote,
});
const edgeAnswer = z.object({ edge: z.string(), from: end, to: end, confidence, quote });
export type NodeAnswer = z.output<typeof nodeAnswer>;
export type EdgeAnswer = z.output<typeof edgeAnswer>;

interface TargetType {
  readonly type: string;
  /** The field that shows the key. */
  readonly keyName: string | undefined;
  readonly fields: Readonly<Record<string, FieldType>>;
}

/** The part of the schema that an extraction proposes nodes and edges of. */
export class ExtractionTarget {
  readonly #types: ReadonlyMap<string, TargetType>;
  readonly #edges: ReadonlySet<string>;

  /** Throws `invalid_request` for types and edges that are not the workspace's own. */
  constructor(
    reader: GraphReader,
    { types, edges }: { readonly types: readonly string[]; readonly edges: readonly string[] },
  ) {
    const schema = reader.schema();
    const chosen = types.map((name, i): TargetType => {
      const node = schema.nodes.find(({ type }) => type === reader.typeNamed(name));
      if (node === undefined || isSystemName(node.type)) {
        throw invalid(`types.${i}`, 'is not a node type of yours');
      }
      const fields = Object.entries(node.fields).filter(([, type]) => isTold(type));
      return { type: node.type, keyName: node.key, fields: Object.fromEntries(fields) };
    });
    edges.forEach((name, i) => {
      const isOwn = schema.edges.some(({ type }) => type === name) && !isServersOwn(name);
      if (!isOwn) throw invalid(`edges.${i}`, 'is not an edge type of yours');
    });
    this.#types = new Map(chosen.map((one) => [one.type, one]));
    this.#edges = new Set(edges);
    if (this.instructions.length > AGENT_SCHEMA_CHARACTERS_MAX) {
      throw invalid('types', 'have too many fields together: choose fewer types');
    }
  }

  get types(): string[] {
    return [...this.#types.keys()];
  }

  get edges(): string[] {
    return [...this.#edges];
  }

  /** The shape of an answer, as JSON Schema. */
  get instructions(): string {
    const keyText = { type: 'string', minLength: 1 };
    const rest = {
      confidence: { type: 'number', minimum: 0, maximum: 1 },
      quote: { type: 'string', description: 'Copied letter by letter from the text.' },
    };
    const names = [...this.#types.keys()];
    const nodes = [...this.#types.values()].map(({ type, keyName, fields }) => ({
      type: 'object',
      properties: {
        type: { const: type },
        key: keyName === undefined ? keyText : { ...keyText, description: `The ${keyName}.` },
        fields: {
          type: 'object',
          properties: Object.fromEntries(
            Object.entries(fields)
              .filter(([name]) => name !== keyName)
              .map(([name, field]) => [name, jsonSchemaOf(field)]),
          ),
          additionalProperties: false,
        },
        ...rest,
      },
      required: ['type', 'key', 'fields', 'confidence', 'quote'],
    }));
    const ofEdge = {
      type: 'object',
      properties: { type: { enum: names }, key: keyText },
      required: ['type', 'key'],
    };
    const edge = {
      type: 'object',
      properties: { edge: { enum: [...this.#edges] }, from: ofEdge, to: ofEdge, ...rest },
      required: ['edge', 'from', 'to', 'confidence', 'quote'],
    };
    const isAny = this.#edges.size > 0;
    return JSON.stringify({
      type: 'object',
      properties: {
        nodes: { type: 'array', items: { anyOf: nodes } },
        edges: isAny ? { type: 'array', items: edge } : { type: 'array', maxItems: 0 },
      },
      required: ['nodes', 'edges'],
    });
  }

  /** A node of this target; undefined for anything else. Fields without a value are left out. */
  node(value: unknown): NodeAnswer | undefined {
    const { data } = nodeAnswer.safeParse(value);
    const type = data && this.#types.get(data.type);
    if (data === undefined || type === undefined) return undefined;
    const { fields } = this.checked(data.type, data.fields);
    return fields && { ...data, fields };
  }

  edge(value: unknown): EdgeAnswer | undefined {
    const { data } = edgeAnswer.safeParse(value);
    if (data === undefined || !this.#edges.has(data.edge)) return undefined;
    return [data.from, data.to].every(({ type }) => this.#types.has(type)) ? data : undefined;
  }

  /** Values that fit the fields of a type; or the first field that does not. */
  checked(
    type: string,
    values: Values,
  ):
    | { readonly fields: Values; readonly fault?: undefined }
    | { readonly fault: string; readonly fields?: undefined } {
    const { fields: known = {}, keyName } = this.#types.get(type) ?? {};
    const fields: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(values)) {
      // The key has a member of its own.
      if (value === null || value === undefined || name === keyName) continue;
      const field = Object.hasOwn(known, name) ? known[name] : undefined;
      if (field === undefined || !shapeOf(field).safeParse(value).success) return { fault: name };
      fields[name] = value;
    }
    return { fields };
  }
}

/** Models are asked for what stands in texts. */
function isTold(type: FieldType): boolean {
  return !/^(?:Bytes|UID|Json)\b/.test(type);
}

function isServersOwn(edge: string): boolean {
  const isEvidence = edge === EVIDENCE_EDGE || edge === EVIDENCE_INVERSE;
  return isSystemName(edge) || edge.startsWith('RestrictAccessTo') || isEvidence;
}

const whole = z.int();
const decimal = z.string().regex(/^-?\d+(?:\.\d+)?$/);

function shapeOf(type: FieldType): z.ZodType {
  if (type.endsWith('[]')) return z.array(scalarShape(type.slice(0, -2)));
  return scalarShape(type);
}

function scalarShape(scalar: string): z.ZodType {
  switch (scalar) {
    case 'Int':
      return whole.min(-(2 ** 31)).max(2 ** 31 - 1);
    case 'Long':
      return whole;
    case 'Float':
    case 'Double':
      return z.number();
    case 'Decimal':
      return decimal;
    case 'Bool':
      return z.boolean();
    case 'Time':
      return z.iso.datetime({ offset: true });
    case 'GeoPoint':
      return z.strictObject({
        lat: z.number().min(-90).max(90),
        lon: z.number().min(-180).max(180),
      });
    default:
      return z.string().refine((text) => text.isWellFormed());
  }
}

function jsonSchemaOf(type: FieldType): object {
  const { $schema: _schema, ...schema } = z.toJSONSchema(shapeOf(type));
  return schema;
}

function invalid(path: string, message: string): Problem {
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}
