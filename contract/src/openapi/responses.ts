import { errorBody, errorCatalogue, type ErrorCode, routerErrorBody } from '../errors.ts';
import type { CatalogueEntry } from '../errors/entry.ts';
import type { Operation, ResponseHeader, ResponseShape } from '../operation.ts';
import type { JsonSchema, ShapeSchemas } from './shape-schemas.ts';

type Content = Record<string, { readonly schema?: JsonSchema }>;

const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream';
/** Media types whose content is not text. */
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

/** Answers to whatever is sent, before the server knows what it is. */
const CONNECTION: readonly ErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'too_many_connections',
  'server_stopping',
  'internal_error',
];
/** Answers to a request that must pass the gate. */
const GATE: readonly ErrorCode[] = [
  'not_ready',
  'replica_behind',
  'invalid_request',
  'unsupported_encoding',
];
const CALLER: readonly ErrorCode[] = [
  'token_in_query',
  'missing_token',
  'invalid_token',
  'forbidden',
];
const BODY: readonly ErrorCode[] = ['body_too_large', 'bodies_in_flight', 'unsupported_media_type'];

/**
 * Every code that an operation may answer: its own, and those that its kind of request may meet
 * anywhere.
 */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const { area, auth, method, path, params, query, headers, body, consumes } = operation;
  const codes = new Set<ErrorCode>([...operation.errors, ...CONNECTION]);
  const add = (some: readonly ErrorCode[]): void => some.forEach((code) => codes.add(code));
  if (area !== 'status') add(GATE);
  if (auth !== 'none') add(CALLER);
  if (params ?? query ?? headers ?? body) codes.add('invalid_request');
  // A body is read where the method may have one, also when nothing is made of it.
  if (method !== 'GET') add(BODY);
  if (method !== 'GET' && (consumes ?? ['application/json']).includes('application/json')) {
    codes.add('malformed_json').add('body_too_complex');
  }
  // Without a name, and without the name of a provider that there is, it is another path.
  if (path.includes('{+') || path.includes('{provider}')) codes.add('route_not_found');
  return [...codes].toSorted();
}
