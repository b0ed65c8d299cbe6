import type { JsonSchema } from '@trellis/contract/openapi/shape-schemas.ts';
import {
  commentOf,
  memberName,
  orUndefined,
  type SchemaTypes,
  typesOfSchema,
} from './schema-type.ts';
import type { Direction } from './type-schema.ts';

/** What callers of an endpoint know of it. */
export interface EndpointShape {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the body; null where any body is taken. */
  readonly input: JsonSchema | null;
  readonly isInputOptional: boolean;
  /** JSON Schema of what it answers with the status 200; null where nothing is known of it. */
  readonly output: JsonSchema | null;
}

/** An endpoint in the interface `Endpoints`. */
export interface EndpointDeclaration {
  /** A member of the interface. */
  readonly member: string;
  /** What stands beside the interface: types that contain themselves need names. */
  readonly aliases: readonly string[];
}

/**
 * What an endpoint takes and answers. Names of its types never meet those of another endpoint, or
 * of the workspace, as no name there has a `$`.
 *
 * ```ts
 * "books/by-author": {
 *   readonly input: { readonly author: string };
 *   readonly output: readonly BookNode[];
 * };
 * ```
 */
export function declarationOf(
  { name, description, input, isInputOptional, output }: EndpointShape,
  nodeInterfaces: ReadonlySet<string>,
): EndpointDeclaration {
  const taken = typesOf(name, 'input', input, nodeInterfaces);
  const given = typesOf(name, 'output', output, nodeInterfaces);
  const member = [
    ...commentOf(description, '  '),
    `  ${memberName(name)}: {`,
    `    readonly input: ${isInputOptional ? orUndefined(taken.type) : taken.type};`,
    `    readonly output: ${given.type};`,
    '  };\n',
  ].join('\n');
  const aliases = [...taken.aliases, ...given.aliases];
  return { member, aliases: aliases.map(([alias, type]) => `type ${alias} = ${type};\n`) };
}

function typesOf(
  name: string,
  direction: Direction,
  schema: JsonSchema | null,
  nodeInterfaces: ReadonlySet<string>,
): SchemaTypes {
  if (schema === null) return { type: 'unknown', aliases: new Map() };
  const alias = (definition: string) =>
    [direction, name, definition]
      .filter((part) => part !== '')
      .map(identifierOf)
      .join('$');
  return typesOfSchema(schema, { direction, alias, nodeInterfaces, margin: 2 });
}

/** Two names never become the same. */
function identifierOf(name: string): string {
  return name.replaceAll(/\W/gu, (character) => `$${character.codePointAt(0)?.toString(16)}_`);
}
