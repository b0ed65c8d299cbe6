import { isJsonObject, type JsonSchema } from '@trellis/contract/openapi/shape-schemas.ts';
import { valueAt } from '../support/http-client.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

/**
 * One operation as an OpenAPI document describes it, with its references resolved but those to
 * shapes.
 */
export interface DescribedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly required: boolean; readonly content: Contents } | undefined;
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}

type Contents = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

export interface DescribedAnswer {
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Contents;
}

export function describedOperations(document: unknown): DescribedOperation[] {
  const resolve = (value: unknown): unknown => {
    const reference = valueAt(value, '$ref');
    if (typeof reference !== 'string') return value;
    return valueAt(document, ...reference.slice(2).split('/'));
  };
  const paths = Object.entries(Object(valueAt(document, 'paths')) as Record<string, object>);
  return paths.flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: String(valueAt(operation, 'operationId')),
      method: method.toUpperCase(),
      path,
      parameters: (valueAt(operation, 'parameters') as unknown[]).map(resolve) as Parameter[],
      body: valueAt(operation, 'requestBody') as DescribedOperation['body'],
      responses: Object.fromEntries(
        Object.entries(Object(valueAt(operation, 'responses'))).map(([status, answer]) => [
          status,
          answerOf(resolve(answer)),
        ]),
      ),
    })),
  );
}

function answerOf(value: unknown): DescribedAnswer {
  if (!isJsonObject(value)) throw new Error('an answer that is not described');
  return value as DescribedAnswer;
}
