import { RDF } from '@trellis/contract/rdf-terms.ts';
import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { ToldTypes } from './field-texts.ts';
import { FormOutput } from './form-output.ts';
import type { ExportedEdge, ExportedNode, GraphForm, NodeName } from './graph-form.ts';
import { datatypeOf, iriOf, lexicalText } from './rdf-names.ts';

/** What stands around a time, from the space before the name of what it says to its full stop. */
const BEFORE_TIME = ` <${RDF.timestamp}> "`;
const AFTER_TIME = `"^^<${RDF.time}> .\n`;

/** Types whose values may have a text with what is to be escaped. */
const ESCAPED: ReadonlySet<FieldType> = new Set(['String', 'Json']);

/** What is the same in all statements of one field of one type. */
interface FieldTerms {
  readonly type: FieldType;
  readonly isEscaped: boolean;
  /** From the space after the subject to the one before the value. */
  readonly before: string;
  /** From the end of the value's text to the end of the line. */
  readonly after: string;
}

/**
 * RDF 1.1 N-Quads. What is said of a node stands together. An edge is one statement in a graph of
 * its own, named by a blank node; the edge's time and fields are said of that name.
 */
export class NquadsForm extends FormOutput implements GraphForm {
  readonly #told = new ToldTypes();
  readonly #ofNodes = new Map<string, TypeTerms>();
  readonly #ofEdges = new Map<string, TypeTerms>();
  #edges = 0;
  /** The node that the last edge began at: the edges of a node come one after the other. */
  #from: NodeName | undefined;
  #fromTerm = '';

  begin(): void {}

  schema(schema: SchemaDocument): void {
    this.#told.add(schema);
    this.#ofNodes.clear();
    this.#ofEdges.clear();
    const text = JSON.stringify(JSON.stringify(schema));
    this.write(`<${RDF.graph}> <${RDF.schema}> ${text}^^<${RDF.json}> .\n`);
  }

  node(node: ExportedNode): void {
    const { type, timestamp, fields, aliases } = node;
    const terms = this.#termsOfNodes(type);
    const subject = `<${iriOf(node)}>`;
    let text = subject + terms.statement + subject + BEFORE_TIME + timestamp + AFTER_TIME;
    for (const name in fields) text += subject + terms.said(name, fields[name]);
    for (const alias of aliases) text += `${subject} <${RDF.alias}> ${JSON.stringify(alias)} .\n`;
    this.write(text);
  }

  edge({ type, from, to, timestamp, fields }: ExportedEdge): void {
    const terms = this.#termsOfEdges(type);
    if (from !== this.#from) {
      this.#from = from;
      this.#fromTerm = `<${iriOf(from)}>`;
    }
    const name = `_:e${++this.#edges}`;
    let text = `${this.#fromTerm + terms.statement + iriOf(to)}> ${name} .\n`;
    text += name + BEFORE_TIME + timestamp + AFTER_TIME;
    for (const field in fields) text += name + terms.said(field, fields[field]);
    this.write(text);
  }

  end(): void {}

  #termsOfNodes(type: string): TypeTerms {
    let terms = this.#ofNodes.get(type);
    if (terms === undefined) {
      const statement = ` <${RDF.type}> <${RDF.types}${type}> .\n`;
      terms = new TypeTerms(statement, (field) => this.#told.ofNode(type, field));
      this.#ofNodes.set(type, terms);
    }
    return terms;
  }

  #termsOfEdges(type: string): TypeTerms {
    let terms = this.#ofEdges.get(type);
    if (terms === undefined) {
      terms = new TypeTerms(` <${RDF.edges}${type}> <`, (field) => this.#told.ofEdge(type, field));
      this.#ofEdges.set(type, terms);
    }
    return terms;
  }
}

/** What is the same of all nodes, or all edges, of one type: it is put together once. */
class TypeTerms {
  /** What follows the subject in the statement that names the type. */
  readonly statement: string;
  readonly #typeOf: (field: string) => FieldType;
  readonly #fields = new Map<string, FieldTerms>();

  constructor(statement: string, typeOf: (field: string) => FieldType) {
    this.statement = statement;
    this.#typeOf = typeOf;
  }

  /** What follows the subject in the statement of a value. */
  said(field: string, value: unknown): string {
    const { type, isEscaped, before, after } = this.#fields.get(field) ?? this.#add(field);
    const text = lexicalText(type, value);
    // What JSON escapes is escaped in the same way here.
    return before + (isEscaped ? JSON.stringify(text) : `"${text}"`) + after;
  }

  #add(field: string): FieldTerms {
    const type = this.#typeOf(field);
    const datatype = type === 'String' ? '' : `^^<${datatypeOf(type)}>`;
    const terms: FieldTerms = {
      type,
      isEscaped: ESCAPED.has(type) || type.endsWith('[]'),
      before: ` <${RDF.fields}${field}> `,
      after: `${datatype} .\n`,
    };
    this.#fields.set(field, terms);
    return terms;
  }
}
