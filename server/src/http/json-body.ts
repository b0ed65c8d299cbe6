import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';

export type JsonReader = (request: FastifyRequest, text: string) => unknown;

/** Reads JSON that does not try to reach into prototypes; an empty body is undefined. Throws `malformed_json`. */
export function jsonReader(app: FastifyInstance): JsonReader {
  const parse = app.getDefaultJsonParser('error', 'error');
  return (request, text) => {
    if (text === '') return undefined;
    let outcome: { error: Error | null; value: unknown } | undefined;
    // Despite its callback it is synchronous.
    void parse(request, text, (error, value: unknown) => {
      outcome = { error, value };
    });
    if (outcome === undefined || outcome.error !== null) {
      throw new Problem('malformed_json', 'The body is not valid JSON.', { cause: outcome?.error });
    }
    return outcome.value;
  };
}
