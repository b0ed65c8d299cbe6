import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { RecordMapping } from './record-mapping.ts';

/**
 * The types that an import needs beyond those the server has. A schema only grows, so it is put
 * piece by piece, each before the operations that need it: an import can begin before all of its
 * input was seen.
 */
export class SchemaGrowth {
  readonly #mapping: RecordMapping;
  /** Fields of the node type, as the server has them or as they were given out. */
  readonly #fields: Map<string, FieldType>;
  readonly #key: string | undefined;
  #isPending = true;

  constructor(mapping: RecordMapping, known: SchemaDocument) {
    this.#mapping = mapping;
    const type = known.nodes.find((node) => node.type === mapping.type);
    this.#fields = new Map(Object.entries(type?.fields ?? {}));
    // The key of a type that exists cannot change.
    this.#key = type === undefined ? mapping.keyName() : type.key;
  }

  typeOf(field: string): FieldType | undefined {
    return this.#fields.get(field);
  }

  declare(field: string, type: FieldType): void {
    if (this.#fields.get(field) === type) return;
    this.#fields.set(field, type);
    this.#isPending = true;
  }

  /** Makes the field wide enough for a JSON value. */
  observe(field: string, value: unknown): void {
    const seen = typeOfValue(value);
    if (seen === undefined) return;
    const known = this.#fields.get(field);
    this.declare(field, known === undefined ? seen : widened(known, seen));
  }

  /** The whole of the types, when something was added since the last call. */
  take(): SchemaDocument | undefined {
    if (!this.#isPending) return undefined;
    this.#isPending = false;
    const { type, links } = this.#mapping;
    const fields = Object.fromEntries(this.#fields);
    const node = this.#key === undefined ? { type, fields } : { type, fields, key: this.#key };
    const others = new Set(links.map((link) => link.type).filter((other) => other !== type));
    const edges = new Set(links.map(({ edge }) => edge));
    return {
      nodes: [node, ...[...others].map((other) => ({ type: other, fields: {} }))],
      edges: [...edges].map((edge) => ({ type: edge })),
    };
  }
}

const INT_MAX = 2 ** 31 - 1;

/** The narrowest type of a JSON value; null and an empty list fit every type. */
function typeOfValue(value: unknown): FieldType | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return typeOfList(value);
  switch (typeof value) {
    case 'boolean':
      return 'Bool';
    case 'number':
      if (!Number.isSafeInteger(value)) return 'Double';
      return Math.abs(value) <= INT_MAX ? 'Int' : 'Long';
    case 'string':
      return 'String';
    default:
      return 'Json';
  }
}

/** There are no lists of lists. */
function typeOfList(values: readonly unknown[]): FieldType | undefined {
  const types = values.map(typeOfValue).filter((type) => type !== undefined);
  if (types.length === 0) return undefined;
  const element = types.reduce(widened);
  return element.endsWith('[]') ? 'Json' : listOf(element);
}

function listOf(type: FieldType): FieldType {
  return type.endsWith('[]') ? type : (`${type}[]` as FieldType);
}

/**
 * As numbers widen without losing a digit; where types do not mix the known one stays, and the
 * server says what it thinks.
 */
function widened(known: FieldType, seen: FieldType): FieldType {
  if (seen.endsWith('[]') && !known.endsWith('[]')) return listOf(widened(known, elementOf(seen)));
  if (known.endsWith('[]')) return listOf(widened(elementOf(known), elementOf(seen)));
  if (known === 'Int' && (seen === 'Long' || seen === 'Double')) return seen;
  return known === 'Long' && seen === 'Double' ? seen : known;
}

function elementOf(type: FieldType): FieldType {
  return type.replace(/\[\]$/, '') as FieldType;
}
