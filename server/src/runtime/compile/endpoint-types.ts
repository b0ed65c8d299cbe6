import type { JsonSchema } from '@trellis/contract/openapi/shape-schemas.ts';
import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { SourceFile } from 'typescript/unstable/ast';
import { isTypeAliasDeclaration } from 'typescript/unstable/ast/is';
import { must } from '#base/assert.ts';
import { TYPE_SCHEMA_CHARACTERS_MAX } from '#base/endpoint-limits.ts';
import { defaultExportStart, isInputExport, ruleBroken } from './diagnostics.ts';
import { entryFile, scopeFile } from './project-files.ts';
import type { Asked } from './type-checker.ts';
import {
  type Direction,
  schemaOfType,
  type TypeSchemaOptions,
  type ValueSchema,
} from './type-schema.ts';

/** What the types of an endpoint say of its JSON, kept with the code that serves. */
export interface EndpointTypes {
  /** JSON Schema of the body; null where any body is taken, or `input` of the code says it. */
  readonly input: JsonSchema | null;
  readonly isBodyOptional: boolean;
  /** JSON Schema of what is answered with the status 200; null where nothing is known of it. */
  readonly output: JsonSchema | null;
}

export interface InspectedTypes extends EndpointTypes {
  /** What the types say and JSON Schema cannot. */
  readonly notices: readonly Diagnostic[];
}

/** Without what is said to whoever writes the code. */
export function keptTypes({ input, isBodyOptional, output }: EndpointTypes): EndpointTypes {
  return { input, isBodyOptional, output };
}

/** Of code that compiles. The aliases stand in the entry file: see `project-files.ts`. */
export async function typesOfEndpoint(
  asked: Asked,
  syntax: SourceFile,
  schema: SchemaDocument,
): Promise<InspectedTypes> {
  const options = {
    checker: asked.project.checker,
    scopeFile: scopeFile(asked.scope),
    schemaNames: namesIn(schema),
    namesSchema: NAMES_SCHEMA.test(syntax.text),
  };
  const hasInput = syntax.statements.some(isInputExport);
  const input = hasInput ? UNSAID : await valueOf('input', asked, options);
  const output = await valueOf('output', asked, options);
  const notices = [...input.notices, ...output.notices].map((notice) =>
    ruleBroken(syntax.text, defaultExportStart(syntax), notice),
  );
  return {
    input: saying(input.schema),
    isBodyOptional: input.isOptional,
    output: saying(orNull(output)),
    notices,
  };
}

const UNSAID: ValueSchema = { schema: {}, isOptional: true, notices: [] };
/** What the scope calls names that come of the live schema. */
const NAMES_SCHEMA = /\b\w*(?:TypeName|FieldName|NodeTypes|EdgeTypes|FieldsOf|NodeOf|Node)\b/;

function namesIn({ nodes, edges }: SchemaDocument): ReadonlySet<string> {
  const names = new Set(['UID', 'Type', 'Timestamp', 'Id']);
  for (const { type, key = type, fields } of nodes) {
    for (const name of [type, key, ...Object.keys(fields)]) names.add(name);
  }
  for (const { type, inverse = type } of edges) names.add(type).add(inverse);
  return names;
}

const ALIASES: Readonly<Record<Direction, string>> = { input: 'Input', output: 'Output' };
const NAMES: Readonly<Record<Direction, string>> = { input: 'body', output: 'answer' };

async function valueOf(
  direction: Direction,
  { project: { program, checker }, scope }: Asked,
  options: Omit<TypeSchemaOptions, 'direction'>,
): Promise<ValueSchema> {
  const entry = must(await program.getSourceFile(entryFile(scope)), 'the entry file');
  const declarations = entry.statements.filter(isTypeAliasDeclaration);
  const declaration = must(
    declarations.find((one) => one.name.text === ALIASES[direction]),
    'the alias of the entry file',
  );
  const type = must(await checker.getTypeFromTypeNode(declaration.type), 'its type');
  const name = NAMES[direction];
  const value = await schemaOfType(type, name, { ...options, direction });
  if (JSON.stringify(value.schema).length <= TYPE_SCHEMA_CHARACTERS_MAX) return value;
  const notice = `The schema of the type of ${name} is too long: it is left out.`;
  return { ...UNSAID, notices: [notice] };
}

/** What answers nothing answers null. */
function orNull({ schema, isOptional }: ValueSchema): JsonSchema {
  if (!isOptional || Object.keys(schema).length === 0) return schema;
  const { $defs, ...one } = schema;
  return { anyOf: [one, { type: 'null' }], ...($defs === undefined ? {} : { $defs }) };
}

function saying(schema: JsonSchema): JsonSchema | null {
  return Object.keys(schema).length === 0 ? null : schema;
}
