import type { z } from 'zod';
import { operations } from '../operations.ts';
import { graphOperation } from '../shapes/graph-operation.ts';
import { nodeReference } from '../shapes/node-reference.ts';

interface Member {
  readonly at: string;
  readonly isReference: boolean;
}

/** The texts of a shape, and the references to nodes, by where they are. */
function* membersOf(shape: unknown, at: string): Generator<Member> {
  if (shape === nodeReference) return yield { at, isReference: true };
  const { def } = shape as { readonly def: z.core.$ZodTypeDef & Record<string, unknown> };
  switch (def.type) {
    case 'string':
      return yield { at, isReference: false };
    case 'object':
      for (const [name, inner] of Object.entries(Object(def['shape']))) {
        yield* membersOf(inner, at === '' ? name : `${at}.${name}`);
      }
      return;
    case 'array':
      return yield* membersOf(def['element'], at);
    case 'record':
      return yield* membersOf(def['valueType'], `${at}.*`);
    case 'union':
      for (const option of def['options'] as unknown[]) yield* membersOf(option, at);
      return;
    case 'pipe':
      return yield* membersOf(def['in'], at);
    default:
      if (def['innerType'] !== undefined) yield* membersOf(def['innerType'], at);
  }
}

/** The same of the bodies of all operations, and of the operations of ingestion, by their ids. */
export function bodyMembers(): (Member & { readonly id: string })[] {
  const bodies = Object.values(operations).map((operation) => ({
    id: operation.id as string,
    body: 'body' in operation ? operation.body : undefined,
  }));
  return [...bodies, { id: 'ingestion', body: graphOperation }].flatMap(({ id, body }) =>
    body === undefined ? [] : [...membersOf(body, '')].map((one) => ({ ...one, id })),
  );
}
