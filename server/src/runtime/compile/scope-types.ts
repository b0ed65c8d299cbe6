import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ScalarType } from '#graph/field-types.ts';
import type { EdgeTypeDocument, NodeTypeDocument } from '#graph/schema.ts';

/**
 * The ambient declarations that the code of an endpoint is checked against: the static types of
 * `@trellis/endpoint`, and an interface for each node type of the live schema. The read-only scope
 * differs in one thing: its writes cannot be called.
 *
 * Names of types and fields are identifiers (see `#graph/names.ts`), so they need no quoting; every
 * interface made here ends in `Node` or `Edge`, as nothing in `@trellis/endpoint` that is not one
 * does.
 */
export function scopeTypes(schema: SchemaDocument, isReadOnly: boolean): string {
  const writes = isReadOnly ? 'graph-read-only.ts' : 'graph-writes.ts';
  const reads = ['nodes.ts', 'query.ts', 'search.ts', 'graph-reads.ts'];
  const modules = [...reads, writes, 'ai.ts', 'scope.ts'];
  return [...modules.map(ambientText), ...schemaInterfaces(schema)].join('\n');
}

/** The same types of a schema, as a module. */
export function nodeTypesModule(schema: SchemaDocument): string {
  const interfaces = schemaInterfaces(schema).map((text) => `export ${text}`);
  return [readFileSync(join(SOURCES, 'nodes.ts'), 'utf8'), ...interfaces].join('\n');
}

function schemaInterfaces(schema: SchemaDocument): string[] {
  return [
    ...schema.nodes.map(nodeInterface),
    `interface NodeTypes {\n${schema.nodes.map(nodeMember).join('')}}`,
    `interface EdgeTypes {\n${edgeNames(schema.edges).map(edgeMember).join('')}}`,
  ];
}

/** Those of a schema. */
export function nodeInterfaceNames({ nodes }: SchemaDocument): ReadonlySet<string> {
  return new Set(nodes.map(({ type }) => `${type}Node`));
}

/** Text that is not loaded, and is there beside the program in any form that this has. */
const SOURCES = join(
  dirname(createRequire(import.meta.url).resolve('@trellis/endpoint/package.json')),
  'src',
);

/**
 * A module of `@trellis/endpoint` as a part of one ambient file: without imports, its exports
 * global.
 */
function ambientText(module: string): string {
  const text = readFileSync(join(SOURCES, module), 'utf8');
  return text
    .replaceAll(/^import type [^;]*;\n/gm, '')
    .replaceAll(/^export (?=interface|type)/gm, '');
}

function nodeInterface(node: NodeTypeDocument): string {
  const lines = [
    `interface ${node.type}Node extends NodeBase {`,
    `  readonly Type: '${node.type}';`,
  ];
  if (node.key !== undefined && !Object.hasOwn(node.fields, node.key)) {
    lines.push('  /** The key. */', `  readonly ${node.key}?: string;`);
  }
  for (const [name, type] of Object.entries(node.fields)) {
    lines.push(
      `  /** ${DESCRIPTION[scalarOf(type)]} */`,
      `  readonly ${name}?: ${typeText(type)};`,
    );
  }
  return [...lines, '}'].join('\n');
}

function nodeMember({ type }: NodeTypeDocument): string {
  return `  ${type}: ${type}Node;\n`;
}

function edgeNames(edges: readonly EdgeTypeDocument[]): string[] {
  const names = edges.flatMap(({ type, inverse }) =>
    inverse === undefined ? [type] : [type, inverse],
  );
  return [...new Set(names)];
}

function edgeMember(name: string): string {
  return `  ${name}: unknown;\n`;
}

function scalarOf(type: FieldType): ScalarType {
  return (type.endsWith('[]') ? type.slice(0, -2) : type) as ScalarType;
}

function typeText(type: FieldType): string {
  const scalar = TYPE_TEXT[scalarOf(type)];
  return type.endsWith('[]') ? `readonly (${scalar})[]` : scalar;
}

const TYPE_TEXT: Readonly<Record<ScalarType, string>> = {
  String: 'string',
  Int: 'number',
  Long: 'number | string',
  Float: 'number',
  Double: 'number',
  Decimal: 'string',
  Bool: 'boolean',
  Time: 'string',
  UID: 'UID',
  GeoPoint: 'GeoPoint',
  Json: 'Json',
  Bytes: 'string',
};

const DESCRIPTION: Readonly<Record<ScalarType, string>> = {
  String: 'String',
  Int: 'Int: 32 bits.',
  Long: 'Long: a number, or decimal digits beyond 2^53.',
  Float: 'Float: 32 bits.',
  Double: 'Double: 64 bits.',
  Decimal: 'Decimal: decimal digits, exact.',
  Bool: 'Bool',
  Time: 'Time: ISO 8601 UTC with milliseconds.',
  UID: 'UID of a node.',
  GeoPoint: 'GeoPoint: degrees.',
  Json: 'Json',
  Bytes: 'Bytes: base64.',
};
