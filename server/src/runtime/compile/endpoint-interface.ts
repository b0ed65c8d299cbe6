import type { JsonSchema } from '@trellis/contract/openapi/shape-schemas.ts';
import { commentOf, memberName, orUndefined, typesOfSchema } from './schema-type.ts';
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

/**
 * An endpoint as a member of the interface `Endpoints`. What its types name themselves stands
 * beside them: names of one endpoint never meet those of another, or of the workspace.
 *
 * ```ts
 * "books/by-author": {
 *   readonly input: { readonly author: string };
 *   readonly output: readonly BookNode[];
 * };
 * ```
 */
export function endpointMember(
  { name, description, input, isInputOptional, output }: EndpointShape,
  nodeInterfaces: ReadonlySet<string>,
): string {
  const taken = valueLines(name, 'input', input, nodeInterfaces);
  const given = valueLines(name, 'output', output, nodeInterfaces);
  return [
    ...commentOf(description, '  '),
    `  ${memberName(name)}: {`,
    `    readonly input: ${isInputOptional ? orUndefined(taken.type) : taken.type};`,
    `    readonly output: ${given.type};`,
    ...taken.definitions,
    ...given.definitions,
    '  };\n',
  ].join('\n');
}

interface ValueLines {
  readonly type: string;
  readonly definitions: readonly string[];
}

function valueLines(
  name: string,
  direction: Direction,
  schema: JsonSchema | null,
  nodeInterfaces: ReadonlySet<string>,
): ValueLines {
  if (schema === null) return { type: 'unknown', definitions: [] };
  const own = `Endpoints[${JSON.stringify(name)}]`;
  const { type, definitions } = typesOfSchema(schema, {
    direction,
    definition: (one) => `${own}["${direction}Types"][${JSON.stringify(one)}]`,
    whole: `${own}["${direction}"]`,
    nodeInterfaces,
    margin: 2,
  });
  if (definitions.size === 0) return { type, definitions: [] };
  const members = [...definitions].map(([one, text]) => `      ${memberName(one)}: ${text};`);
  return { type, definitions: [`    readonly ${direction}Types: {`, ...members, '    };'] };
}
