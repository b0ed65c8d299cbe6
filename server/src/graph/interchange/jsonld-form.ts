import { RDF } from '@trellis/contract/rdf-terms.ts';
import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { ToldTypes } from './field-texts.ts';
import { FormOutput } from './form-output.ts';
import type { ExportedEdge, ExportedNode, GraphForm } from './graph-form.ts';
import { datatypeOf, iriOf, lexicalText } from './rdf-names.ts';

/**
 * JSON-LD 1.1, expanded, one object a line: the same statements as in N-Quads. An edge is a graph
 * of one statement, and what is said of the edge is said of that graph.
 */
export class JsonldForm extends FormOutput implements GraphForm {
  readonly #told = new ToldTypes();
  #isFirst = true;
  #edges = 0;

  begin(): void {
    this.write('[');
  }

  schema(schema: SchemaDocument): void {
    this.#told.add(schema);
    const value = { '@type': RDF.json, '@value': JSON.stringify(schema) };
    this.#write({ '@id': RDF.graph, [RDF.schema]: value });
  }

  node(node: ExportedNode): void {
    const { type, timestamp, fields, aliases } = node;
    this.#write({
      // Whoever reads it as a stream wants the type first (Streaming JSON-LD, section 3).
      '@type': RDF.types + type,
      '@id': iriOf(node),
      ...timeOf(timestamp),
      ...this.#fields(fields, (name) => this.#told.ofNode(type, name)),
      ...(aliases.length > 0 && { [RDF.alias]: aliases }),
    });
  }

  edge({ type, from, to, timestamp, fields }: ExportedEdge): void {
    this.#write({
      '@id': `_:e${++this.#edges}`,
      '@graph': { '@id': iriOf(from), [RDF.edges + type]: { '@id': iriOf(to) } },
      ...timeOf(timestamp),
      ...this.#fields(fields, (name) => this.#told.ofEdge(type, name)),
    });
  }

  end(): void {
    this.write('\n]\n');
  }

  #fields(
    fields: Readonly<Record<string, unknown>>,
    typeOf: (name: string) => FieldType,
  ): Record<string, object> {
    const values = Object.entries(fields).map(([name, value]) => {
      const type = typeOf(name);
      return [RDF.fields + name, literal(datatypeOf(type), lexicalText(type, value))];
    });
    return Object.fromEntries(values);
  }

  #write(object: object): void {
    this.write(`${this.#isFirst ? '' : ','}\n${JSON.stringify(object)}`);
    this.#isFirst = false;
  }
}

function literal(datatype: string, text: string): object {
  return datatype === RDF.string ? { '@value': text } : { '@type': datatype, '@value': text };
}

function timeOf(timestamp: string): object {
  return { [RDF.timestamp]: literal(RDF.time, timestamp) };
}
