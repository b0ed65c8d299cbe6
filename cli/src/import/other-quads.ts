import { SCHEMA_FIELDS_PER_TYPE_MAX, SCHEMA_TYPES_MAX } from '@trellis/contract/limits.ts';
import { RDF, RDF_DATATYPES } from '@trellis/contract/rdf-terms.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { exactValue } from './exact-text.ts';
import { type Quad, SaidOfOne, type Term } from './quads.ts';
import { SchemaNames } from './schema-names.ts';

interface Field {
  readonly name: string;
  type: FieldType;
  isList: boolean;
}

/**
 * Makes nodes and edges of statements that say nothing of Trellis. Every IRI and blank node is a
 * node of one type with its name as the key; literals are fields, and everything else is edges. The
 * statements are read twice: `survey` finds out which fields there are, then `add` gives
 * operations.
 */
export class OtherQuads {
  readonly #type: string;
  readonly #fields = new Map<string, Field>();
  readonly #edges = new Map<string, string>();
  readonly #names = new SchemaNames(true);
  readonly #edgeNames = new SchemaNames(false);
  #subject: string | undefined;
  /** Of the subject: values by field. */
  readonly #values = new Map<Field, unknown[]>();
  /** Edges of a node are given on at once, however many there are. */
  #said = new SaidOfOne();

  constructor(type: string) {
    this.#type = type;
  }

  /** Throws an `Error` when there are too many fields or types of edges. */
  survey({ subject, predicate, object }: Quad): void {
    this.#goTo(keyOf(subject));
    if (object.kind !== 'literal') {
      if (!this.#edges.has(predicate.value)) {
        if (this.#edges.size >= SCHEMA_TYPES_MAX) {
          throw new Error(`there are more than ${SCHEMA_TYPES_MAX} predicates with nodes`);
        }
        this.#edges.set(predicate.value, this.#edgeNames.take(endOf(predicate.value)));
      }
      return;
    }
    const id = fieldId(predicate, object);
    const type = typeOf(object);
    let field = this.#fields.get(id);
    if (field === undefined) {
      if (this.#fields.size >= SCHEMA_FIELDS_PER_TYPE_MAX) {
        throw new Error(
          `there are more than ${SCHEMA_FIELDS_PER_TYPE_MAX} predicates with literals`,
        );
      }
      const name = this.#names.take(`${endOf(predicate.value)}${suffixOf(object)}`);
      field = { name, type, isList: false };
      this.#fields.set(id, field);
    }
    field.type = widened(field.type, type);
    field.isList ||= this.#values.has(field);
    this.#values.set(field, []);
  }

  schema(): SchemaDocument {
    this.#goTo(undefined);
    const fields = [...this.#fields.values()].map(({ name, type, isList }) => [
      name,
      isList ? (`${type}[]` as FieldType) : type,
    ]);
    return {
      nodes: [{ type: this.#type, key: 'Iri', fields: Object.fromEntries(fields) }],
      edges: [...this.#edges.values()].map((type) => ({ type })),
    };
  }

  add(quad: Quad): GraphOperation[] {
    const { subject, predicate, object } = quad;
    const key = keyOf(subject);
    const done = key === this.#subject ? [] : this.take();
    this.#subject = key;
    if (object.kind === 'literal') {
      const field = this.#fields.get(fieldId(predicate, object));
      if (field === undefined) throw new Error('the file has changed while it was read');
      this.#said.count(object);
      const values = this.#values.get(field) ?? [];
      values.push(exactValue(field.type, object.value));
      this.#values.set(field, values);
      return done;
    }
    const edge = this.#edges.get(predicate.value);
    if (edge === undefined) throw new Error('the file has changed while it was read');
    const [from, to] = [key, keyOf(object)].map((one) => ({ type: this.#type, key: one }));
    if (from === undefined || to === undefined) return done;
    return [
      ...done,
      { op: 'tryAdd', ...from },
      { op: 'tryAdd', ...to },
      { op: 'link', from, edge, to },
    ];
  }

  /** The operation of the node that was last spoken of. */
  take(): GraphOperation[] {
    const key = this.#subject;
    const fields = [...this.#values].map(([{ name, isList }, values]) => [
      name,
      isList ? values : values[0],
    ]);
    this.#goTo(undefined);
    if (key === undefined || fields.length === 0) return [];
    return [{ op: 'addOrUpdate', type: this.#type, key, fields: Object.fromEntries(fields) }];
  }

  #goTo(subject: string | undefined): void {
    if (subject !== undefined && subject === this.#subject) return;
    this.#subject = subject;
    this.#values.clear();
    this.#said = new SaidOfOne();
  }
}

function keyOf({ kind, value }: Term): string {
  return kind === 'blank' ? `_:${value}` : value;
}

type Literal = Term & { readonly kind: 'literal' };

/** Texts in several languages are several fields. */
function fieldId(predicate: Term, { language = '' }: Literal): string {
  return `${predicate.value} ${language.toLowerCase()}`;
}

function suffixOf({ language }: Literal): string {
  return language === undefined ? '' : `_${language.toLowerCase().replaceAll('-', '_')}`;
}

/** The last part of an IRI. */
function endOf(iri: string): string {
  return /[^#/:]*$/.exec(iri.replace(/[#/:]+$/, ''))?.[0] ?? '';
}

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const TYPES = new Map<string, FieldType>([
  ...Object.entries(RDF_DATATYPES).map(([type, iri]) => [iri, type as FieldType] as const),
  ...['integer', 'nonNegativeInteger', 'positiveInteger', 'unsignedInt'].map(
    (name) => [XSD + name, 'Long'] as const,
  ),
  ...['short', 'byte', 'unsignedShort', 'unsignedByte'].map((name) => [XSD + name, 'Int'] as const),
  [`${XSD}float`, 'Double'],
]);

/** The type of a literal; String where its text does not fit its own type. */
function typeOf({ datatype = RDF.string, value }: Literal): FieldType {
  const type = TYPES.get(datatype) ?? 'String';
  return fits(type, value) ? type : 'String';
}

const FITTING: Readonly<Record<string, RegExp>> = {
  Int: /^[+-]?\d{1,9}$/,
  Long: /^-?\d{1,18}$/,
  Double: /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?$/,
  Decimal: /^-?\d{1,30}(?:\.\d{1,30})?$/,
  Bool: /^(?:true|false|0|1)$/,
  Time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/,
  Bytes: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  UID: /^[1-9A-HJ-NP-Za-km-z]{22}$/,
};

function fits(type: FieldType, value: string): boolean {
  if (type === 'String') return true;
  if (type === 'Time' && Number.isNaN(Date.parse(value))) return false;
  const pattern = FITTING[type];
  if (pattern !== undefined) return pattern.test(value);
  try {
    exactValue(type, value);
    return true;
  } catch {
    return false;
  }
}

const NUMBERS: readonly FieldType[] = ['Int', 'Long', 'Decimal'];

/** A type that has both values, as text if need be. */
function widened(one: FieldType, other: FieldType): FieldType {
  if (one === other) return one;
  const wider = NUMBERS[Math.max(NUMBERS.indexOf(one), NUMBERS.indexOf(other))];
  return NUMBERS.includes(one) && NUMBERS.includes(other) && wider !== undefined ? wider : 'String';
}
