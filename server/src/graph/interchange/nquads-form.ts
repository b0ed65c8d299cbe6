import { RDF } from '@trellis/contract/rdf-terms.ts';
import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { ToldTypes } from './field-texts.ts';
import { FormOutput } from './form-output.ts';
import type { ExportedEdge, ExportedNode, GraphForm } from './graph-form.ts';
import { datatypeOf, iriOf, lexicalText } from './rdf-names.ts';

const TIMESTAMP = `<${RDF.timestamp}>`;

/**
 * RDF 1.1 N-Quads. What is said of a node stands together. An edge is one statement in a graph of
 * its own, named by a blank node; the edge's time and fields are said of that name.
 */
export class NquadsForm extends FormOutput implements GraphForm {
  readonly #told = new ToldTypes();
  /** By the type of the value: what stands after its text. */
  readonly #endings = new Map<FieldType, string>();
  #edges = 0;

  begin(): void {}

  schema(schema: SchemaDocument): void {
    this.#told.add(schema);
    const text = JSON.stringify(JSON.stringify(schema));
    this.write(`<${RDF.graph}> <${RDF.schema}> ${text}^^<${RDF.json}> .\n`);
  }

  node(node: ExportedNode): void {
    const { type, timestamp, fields, aliases } = node;
    const subject = `<${iriOf(node)}>`;
    let text = `${subject} <${RDF.type}> <${RDF.types}${type}> .\n`;
    text += `${subject} ${TIMESTAMP} "${timestamp}"^^<${RDF.time}> .\n`;
    for (const name in fields) {
      const literal = this.#literal(this.#told.ofNode(type, name), fields[name]);
      text += `${subject} <${RDF.fields}${name}> ${literal} .\n`;
    }
    for (const alias of aliases) text += `${subject} <${RDF.alias}> ${JSON.stringify(alias)} .\n`;
    this.write(text);
  }

  edge({ type, from, to, timestamp, fields }: ExportedEdge): void {
    const name = `_:e${++this.#edges}`;
    let text = `<${iriOf(from)}> <${RDF.edges}${type}> <${iriOf(to)}> ${name} .\n`;
    text += `${name} ${TIMESTAMP} "${timestamp}"^^<${RDF.time}> .\n`;
    for (const field in fields) {
      const literal = this.#literal(this.#told.ofEdge(type, field), fields[field]);
      text += `${name} <${RDF.fields}${field}> ${literal} .\n`;
    }
    this.write(text);
  }

  end(): void {}

  #literal(type: FieldType, value: unknown): string {
    let ending = this.#endings.get(type);
    if (ending === undefined) {
      ending = type === 'String' ? '' : `^^<${datatypeOf(type)}>`;
      this.#endings.set(type, ending);
    }
    // What JSON escapes is escaped in the same way here.
    return JSON.stringify(lexicalText(type, value)) + ending;
  }
}
