import { z } from 'zod';
import { AGENT_OUTPUT_FAULTS_MAX, AGENT_SCHEMA_CHARACTERS_MAX } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import type { JsonObject } from '../router/json-members.ts';

export type CheckedOutput =
  | { readonly value: unknown; readonly fault?: undefined }
  /** What is wrong with it, in words for the model. */
  | { readonly fault: string };

/** A JSON Schema that answers of a model have to fit. */
export class OutputSchema {
  readonly #schema: JsonObject;
  readonly #type: z.ZodType;

  /** Throws `invalid_request` for an invalid schema, and for keywords that are not supported. */
  constructor(schema: JsonObject) {
    this.#schema = schema;
    try {
      if (JSON.stringify(schema).length > AGENT_SCHEMA_CHARACTERS_MAX) {
        throw new Error(`it has more than ${AGENT_SCHEMA_CHARACTERS_MAX} characters`);
      }
      this.#type = z.fromJSONSchema(schema);
    } catch (error) {
      const message = `is not a JSON Schema that can be checked: ${error instanceof Error ? error.message : ''}`;
      throw new Problem('invalid_request', `body, outputSchema: ${message}`, {
        details: { fields: [{ path: 'outputSchema', message }] },
      });
    }
  }

  /** The text that follows the instructions of a model. */
  get instructions(): string {
    return `Answer with one JSON value that fits this JSON Schema, and with nothing else:\n${JSON.stringify(this.#schema)}`;
  }

  check(answer: string): CheckedOutput {
    let value: unknown;
    try {
      value = JSON.parse(withoutFences(answer));
    } catch {
      return { fault: 'It is not JSON.' };
    }
    const checked = this.#type.safeParse(value);
    if (checked.success) return { value };
    const faults = checked.error.issues
      .slice(0, AGENT_OUTPUT_FAULTS_MAX)
      .map(
        ({ path, message }) => `${path.length === 0 ? 'the value' : path.join('.')}: ${message}`,
      );
    return { fault: faults.join('\n') };
  }
}

const FENCE = '```';

/**
 * Models like to put JSON between fences. Takes time in proportion to the answer, whatever it is.
 */
function withoutFences(answer: string): string {
  const text = answer.trim();
  const lineEnd = text.indexOf('\n');
  const first = text.slice(0, Math.max(lineEnd, 0)).trimEnd();
  const isFenced = [FENCE, `${FENCE}json`].includes(first) && text.endsWith(FENCE);
  return isFenced ? text.slice(lineEnd + 1, -FENCE.length) : answer;
}
