import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema } from '@trellis/contract/openapi/shape-schemas.ts';
import { valueAt } from '../support/http-client.ts';
import type { DescribedAnswer, DescribedOperation } from './described-operations.ts';

/** The answer as it was seen. For a stream of events only its beginning. */
export interface SeenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Holds answers against what an OpenAPI document says of them. */
export class AnswerCheck {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false });
  readonly #document: unknown;
  readonly #validators = new Map<object, ValidateFunction>();

  constructor(document: unknown) {
    this.#document = document;
    addFormats.default(this.#ajv);
  }

  /** What is not as it is described; undefined when all is. */
  fault(operation: DescribedOperation, answer: SeenAnswer): string | undefined {
    const { status, headers, text } = answer;
    const described = operation.responses[status] ?? operation.responses['default'];
    if (described === undefined) return `the status is not described: ${text.slice(0, 300)}`;
    if (status === 500 && !isOfCode(text)) return `500: ${text}`;
    const missing = missingHeader(described, answer);
    if (missing !== undefined) return `the header ${missing} is missing`;
    const type = headers.get('content-type')?.split(';')[0];
    const contents = described.content ?? {};
    if (type === undefined || text === '') {
      // A table without rows may be an empty text.
      const isText = type !== undefined && type !== 'application/json' && type in contents;
      return Object.keys(contents).length === 0 || isText ? undefined : 'the body is empty';
    }
    const content = contents[type] ?? contents['*/*'];
    if (content === undefined) return `the content type ${type} is not described`;
    if (type !== 'application/json' || content.schema === undefined) return undefined;
    return this.#faultOf(content.schema, text);
  }

  #faultOf(schema: JsonSchema, text: string): string | undefined {
    const validate = this.#validators.get(schema) ?? this.#ajv.compile(this.#whole(schema));
    this.#validators.set(schema, validate);
    if (validate(JSON.parse(text))) return undefined;
    return `${this.#ajv.errorsText(validate.errors)} in ${text.slice(0, 600)}`;
  }

  /** With the components beside it, which it refers to. */
  #whole(schema: JsonSchema): JsonSchema {
    const schemas = valueAt(this.#document, 'components', 'schemas');
    return { ...schema, components: { schemas } };
  }
}

/** The code of an endpoint may fail by itself. */
function isOfCode(text: string): boolean {
  return text.includes('"endpoint_failed"');
}

/** The first header that every answer of this kind has and this one lacks. */
function missingHeader(
  { headers: described = {} }: DescribedAnswer,
  { status, headers, text }: SeenAnswer,
): string | undefined {
  const always = ['X-Request-Id', 'Location', 'Content-Disposition'];
  if (/"code":"(?:missing|invalid)_token"/.test(text)) always.push('WWW-Authenticate');
  if (status === 429) always.push('Retry-After');
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) always.push('X-MSK-Sequence');
  return always.find((name) => name in described && !headers.has(name));
}
