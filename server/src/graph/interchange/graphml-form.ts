import { GRAPHML_NAMES, graphmlTypeOf } from '@trellis/contract/graphml-names.ts';
import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { fieldText, ToldTypes } from './field-texts.ts';
import { FormOutput } from './form-output.ts';
import type { ExportedEdge, ExportedNode, GraphForm } from './graph-form.ts';

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
`;

/** What XML 1.0 cannot hold, whatever way it is written. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ufffd\u{10000}-\u{10ffff}]/u;

/**
 * GraphML. The id of a node is its UID. The fields have keys, which stand before the graph; a value
 * that XML cannot hold, or that has no key, is in one of the keys `more`, as JSON.
 */
export class GraphmlForm extends FormOutput implements GraphForm {
  readonly #told = new ToldTypes();
  /** By what they are for, their name and type. */
  readonly #keys = new Map<string, string>();
  #isBegun = false;

  begin(): void {
    this.write(HEAD);
  }

  schema(schema: SchemaDocument): void {
    this.#told.add(schema);
    if (!this.#isBegun) this.#beginGraph(schema);
    this.write(`    <data key="schema">${escaped(JSON.stringify(schema))}</data>\n`);
  }

  node({ uid, type, key, timestamp, fields, aliases }: ExportedNode): void {
    const more: Record<string, unknown> = {};
    let text = `    <node id="${uid}">${data('ntype', type)}${data('ntime', timestamp)}`;
    if (key !== undefined) {
      if (NOT_IN_XML.test(key)) more[GRAPHML_NAMES.key] = key;
      else text += data('nkey', key);
    }
    if (aliases.length > 0) text += data('naliases', jsonText(aliases));
    const typeOf = (name: string): FieldType => this.#told.ofNode(type, name);
    text += this.#fields('node', fields, typeOf, more);
    this.write(`${text}</node>\n`);
  }

  edge({ type, from, to, timestamp, fields }: ExportedEdge): void {
    let text = `    <edge source="${from.uid}" target="${to.uid}">`;
    text += `${data('etype', type)}${data('etime', timestamp)}`;
    text += this.#fields('edge', fields, (name) => this.#told.ofEdge(type, name), {});
    this.write(`${text}</edge>\n`);
  }

  end(): void {
    this.write('  </graph>\n</graphml>\n');
  }

  #beginGraph({ nodes, edges }: SchemaDocument): void {
    this.#isBegun = true;
    this.#tellKey('schema', 'graph', GRAPHML_NAMES.schema, 'string');
    for (const [prefix, what] of [
      ['n', 'node'],
      ['e', 'edge'],
    ] as const) {
      this.#tellKey(`${prefix}type`, what, GRAPHML_NAMES.type, 'string');
      this.#tellKey(`${prefix}time`, what, GRAPHML_NAMES.timestamp, 'string');
      this.#tellKey(`${prefix}more`, what, GRAPHML_NAMES.more, 'string');
    }
    this.#tellKey('nkey', 'node', GRAPHML_NAMES.key, 'string');
    this.#tellKey('naliases', 'node', GRAPHML_NAMES.aliases, 'string');
    for (const { fields } of nodes) this.#tellFields('node', fields);
    for (const { fields = {} } of edges) this.#tellFields('edge', fields);
    this.write('  <graph id="graph" edgedefault="directed">\n');
  }

  #tellFields(what: 'node' | 'edge', fields: Readonly<Record<string, FieldType>>): void {
    for (const [name, type] of Object.entries(fields)) {
      const known = `${what} ${name} ${graphmlTypeOf(type)}`;
      if (this.#keys.has(known)) continue;
      const id = `${what === 'node' ? 'n' : 'e'}${this.#keys.size}`;
      this.#keys.set(known, id);
      this.#tellKey(id, what, name, graphmlTypeOf(type));
    }
  }

  #tellKey(id: string, what: string, name: string, type: string): void {
    this.write(`  <key id="${id}" for="${what}" attr.name="${name}" attr.type="${type}"/>\n`);
  }

  #fields(
    what: 'node' | 'edge',
    fields: Readonly<Record<string, unknown>>,
    typeOf: (name: string) => FieldType,
    more: Record<string, unknown>,
  ): string {
    let text = '';
    for (const name in fields) {
      const type = typeOf(name);
      const key = this.#keys.get(`${what} ${name} ${graphmlTypeOf(type)}`);
      const value = isJson(type) ? jsonText(fields[name]) : fieldText(type, fields[name]);
      if (key === undefined || NOT_IN_XML.test(value)) more[name] = fields[name];
      else text += data(key, value);
    }
    const rest = Object.keys(more).length === 0 ? '' : data(`${what[0]}more`, jsonText(more));
    return text + rest;
  }
}

function isJson(type: FieldType): boolean {
  return type === 'Json' || type.endsWith('[]');
}

function data(key: string, text: string): string {
  return `<data key="${key}">${escaped(text)}</data>`;
}

/** JSON escapes what XML cannot hold, but for two characters. */
function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\ufffe\uffff]/g, (one) =>
    one === '\ufffe' ? '\\ufffe' : '\\uffff',
  );
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  // Else a reader makes a line feed of it.
  '\r': '&#13;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>\r]/g, (one) => ESCAPES[one] ?? one);
}
