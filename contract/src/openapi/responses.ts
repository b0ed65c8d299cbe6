import { errorBody, errorCatalogue, routerErrorBody, type ErrorCode } from '../errors.ts';
import type { CatalogueEntry } from '../errors/entry.ts';
import type { Operation, ResponseShape } from '../operation.ts';
import type { ResponseHeader } from '../response-headers.ts';
import { errorCodesOf } from './general-errors.ts';
import type { JsonSchema } from './json-schema.ts';
import type { ShapeSchemas } from './shape-schemas.ts';

type Content = Record<string, { readonly schema?: JsonSchema }>;

const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream';
/** What is no text. */
const BINARY = ['application/zip', 'application/octet-stream'];
/** Statuses of what is refused before it is known which operation it is for. */
const BEFORE_ROUTES = ['408', '417', '431'];

/** A token would help. */
const CHALLENGED: readonly ErrorCode[] = ['missing_token', 'invalid_token'];

/**
 * The answers of operations. Those that are errors alone are components, each named by its status
 * and its codes.
 */
export class Responses {
  readonly #schemas: ShapeSchemas;
  readonly components: Record<string, object> = {};

  constructor(schemas: ShapeSchemas) {
    this.#schemas = schemas;
  }

  of(operation: Operation): Record<string, object> {
    const codes = Map.groupBy(errorCodesOf(operation), (code) =>
      String(errorCatalogue[code].status),
    );
    const statuses = new Set([...Object.keys(operation.responses), ...codes.keys()]);
    const all = [...statuses].map((status) => {
      const own = operation.responses[Number(status)];
      const errors = codes.get(status) ?? [];
      const isRouter = isRouterPath(operation.path) && !BEFORE_ROUTES.includes(status);
      if (own === undefined) return [status, this.#refusal(status, errors, isRouter)] as const;
      return [status, this.#answer(own, status, errors, isRouter)] as const;
    });
    const redirect = operation.onReplica === 'redirect' && !statuses.has('303');
    return Object.fromEntries([
      ...all.toSorted(([a], [b]) => Number(a) - Number(b)),
      ...(redirect ? [['303', { $ref: '#/components/responses/303.primary' }]] : []),
      ...(operation.anyStatus === true ? [['default', ANY_STATUS]] : []),
    ]);
  }

  #answer(own: ResponseShape, status: string, errors: ErrorCode[], isRouter: boolean): object {
    const content = this.#content(own);
    if (errors.length > 0) {
      const refusal = this.#errorSchema(errors, isRouter);
      const others = content[JSON_TYPE]?.schema;
      const schema = others === undefined ? refusal : { anyOf: [others, refusal] };
      content[JSON_TYPE] = { schema };
    }
    const location: ResponseHeader[] = status === '303' ? ['Location'] : [];
    const retry: ResponseHeader[] = errors.some(isPassing) ? ['Retry-After'] : [];
    const headers = headersOf([...location, ...retry, ...(own.headers ?? [])]);
    const description = [own.description, ...errors.map(told)].join('\n\n');
    return { description, headers, ...(Object.keys(content).length === 0 ? {} : { content }) };
  }

  #content({ body, contentType = JSON_TYPE, furtherTypes = [], orEvents }: ResponseShape): Content {
    const events: Content = orEvents === true ? { [EVENTS]: { schema: { type: 'string' } } } : {};
    if (BINARY.includes(contentType)) {
      return Object.fromEntries([contentType, ...furtherTypes].map((type) => [type, {}]));
    }
    if (contentType !== JSON_TYPE && body === undefined) {
      return { [contentType]: { schema: { type: 'string' } } };
    }
    if (body === undefined) return {};
    return { [contentType]: { schema: this.#schemas.of(body, 'output') }, ...events };
  }

  #refusal(status: string, codes: ErrorCode[], isRouter: boolean): object {
    const name = [status, ...codes, ...(isRouter ? ['router'] : [])].join('.');
    this.components[name] ??= {
      description: codes.map(told).join('\n\n'),
      headers: headersOf([
        ...(codes.some((code) => CHALLENGED.includes(code)) ? (['WWW-Authenticate'] as const) : []),
        ...(codes.some(isPassing) ? (['Retry-After'] as const) : []),
      ]),
      content: { [JSON_TYPE]: { schema: this.#errorSchema(codes, isRouter) } },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  /** The common error body with the codes that it may have here. */
  #errorSchema(codes: readonly ErrorCode[], isRouter: boolean): JsonSchema {
    const body = this.#schemas.of(isRouter ? routerErrorBody : errorBody, 'output');
    const error = { type: 'object', properties: { code: { type: 'string', enum: codes } } };
    return { allOf: [body, { type: 'object', properties: { error } }] };
  }
}

/** Where a replica sends what only the primary does. */
export const PRIMARY_REDIRECT = {
  description: 'This replica leaves it to the primary: send the same request to Location.',
  headers: headersOf(['Location']),
};

/** The code of an endpoint chooses it. */
export const ANY_STATUS = {
  description:
    'An endpoint may choose another status, from 200 to 599, and any JSON as the body of it.',
  content: { [JSON_TYPE]: { schema: {} } },
};

export function headersOf(names: readonly ResponseHeader[]): Record<string, object> {
  const all = new Set<ResponseHeader>(['X-Request-Id', 'X-MSK-Sequence', ...names]);
  return Object.fromEntries(
    [...all].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

function told(code: ErrorCode): string {
  const { title, hint } = errorCatalogue[code];
  return `\`${code}\`: ${title}. ${hint}`;
}

function isPassing(code: ErrorCode): boolean {
  const entry: CatalogueEntry = errorCatalogue[code];
  return entry.retryAfterSeconds !== undefined;
}

/** The errors of the LLM router carry what clients of its protocols read. */
function isRouterPath(path: string): boolean {
  return /^\/api\/llm\/(?:openai|anthropic)\//.test(path);
}
