import {
  errorBody,
  errorCatalogue,
  type ErrorCode,
  isOAuthPath,
  oauthErrorBody,
  oauthErrorOf,
  routerErrorBody,
  scimErrorBody,
} from '../errors.ts';
import type { CatalogueEntry } from '../errors/entry.ts';
import type { Operation, ResponseHeader, ResponseShape } from '../operation.ts';
import type { OperationId } from '../operations.ts';
import { SCIM_MEDIA_TYPE } from '../shapes/scim.ts';
import { type DescribedEvents, events } from './events.ts';
import { answerExample, withExample } from './examples/examples.ts';
import type { JsonSchema, ShapeSchemas } from './shape-schemas.ts';

type Content = Record<string, { readonly schema?: JsonSchema; readonly 'x-events'?: object }>;

type DescribedOperation = Operation & { readonly id: OperationId };

const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream';
/** Media types whose content is not text. */
const BINARY = ['application/zip', 'application/octet-stream'];
/** Statuses of what is refused before it is known which operation it is for. */
const BEFORE_ROUTES = ['408', '417', '431'];

/** A token would help. */
const CHALLENGED: readonly ErrorCode[] = ['missing_token', 'invalid_token'];

/** The answers of operations. Those that are errors alone are components, named by their codes. */
export class Responses {
  readonly #schemas: ShapeSchemas;
  readonly components: Record<string, object> = {};
  readonly #codes = new Map<string, string>();

  constructor(schemas: ShapeSchemas) {
    this.#schemas = schemas;
  }

  of(operation: DescribedOperation): Record<string, object> {
    const codes = Map.groupBy(errorCodesOf(operation), (code) =>
      String(errorCatalogue[code].status),
    );
    const statuses = new Set([...Object.keys(operation.responses), ...codes.keys()]);
    const all = [...statuses].map((status) => {
      const own = operation.responses[Number(status)];
      const errors = codes.get(status) ?? [];
      const dialect = BEFORE_ROUTES.includes(status) ? 'plain' : dialectOf(operation.path);
      if (own === undefined) return [status, this.#refusal(status, errors, dialect)] as const;
      const stream = events[operation.id];
      const answer = this.#answer(own, status, errors, dialect, stream);
      return [status, withAnswer(answer, status, operation)] as const;
    });
    const redirect = operation.onReplica === 'redirect' && !statuses.has('303');
    return Object.fromEntries([
      ...all.toSorted(([a], [b]) => Number(a) - Number(b)),
      ...(redirect ? [['303', { $ref: `#/components/responses/${PRIMARY_REDIRECT_NAME}` }]] : []),
      ...(operation.anyStatus === true ? [['default', ANY_STATUS]] : []),
    ]);
  }

  #answer(
    own: ResponseShape,
    status: string,
    errors: ErrorCode[],
    dialect: Dialect,
    stream: DescribedEvents | undefined,
  ): object {
    const content = this.#content(own, stream);
    if (errors.length > 0) {
      const type = mediaTypeOf(dialect);
      const refusal = this.#errorSchema(errors, dialect);
      const others = content[type]?.schema;
      const schema = others === undefined ? refusal : { anyOf: [others, refusal] };
      content[type] = { schema };
    }
    const location: ResponseHeader[] = status === '303' ? ['Location'] : [];
    const retry: ResponseHeader[] = errors.some(isPassing) ? ['Retry-After'] : [];
    const headers = headersOf([...location, ...retry, ...(own.headers ?? [])]);
    const description = [own.description, ...errors.map(told)].join('\n\n');
    return { description, headers, ...(Object.keys(content).length === 0 ? {} : { content }) };
  }

  #content(
    { body, contentType = JSON_TYPE, furtherTypes = [], orEvents }: ResponseShape,
    stream: DescribedEvents | undefined,
  ): Content {
    if (contentType === EVENTS) return { [EVENTS]: this.#stream(stream) };
    const inEvents: Content = orEvents === true ? { [EVENTS]: this.#stream(stream) } : {};
    if (BINARY.includes(contentType)) {
      return Object.fromEntries([contentType, ...furtherTypes].map((type) => [type, {}]));
    }
    if (contentType !== JSON_TYPE && body === undefined) {
      const schema = { type: 'string' } as const;
      return Object.fromEntries([contentType, ...furtherTypes].map((type) => [type, { schema }]));
    }
    if (body === undefined) return {};
    return { [contentType]: { schema: this.#schemas.of(body, 'output') }, ...inEvents };
  }

  /** Server-Sent Events: a text, whose events are told beside it. */
  #stream(stream: DescribedEvents | undefined): Content[string] {
    if (stream === undefined) {
      const description = 'Server-Sent Events as the protocol has them.';
      return { schema: { description, type: 'string' } };
    }
    const listed = Object.entries(stream).map(([name, { says }]) => `- \`${name}\`: ${says}`);
    return {
      schema: { description: `Server-Sent Events:\n${listed.join('\n')}`, type: 'string' },
      'x-events': Object.fromEntries(
        Object.entries(stream).map(([name, { says, data }]) => [
          name,
          {
            description: says,
            ...(data === undefined ? {} : { schema: this.#schemas.of(data, 'output') }),
          },
        ]),
      ),
    };
  }

  #refusal(status: string, codes: ErrorCode[], dialect: Dialect): object {
    const name = refusalName(status, codes, dialect);
    const meaning = codes.join();
    const other = this.#codes.get(name);
    if (other !== undefined && other !== meaning)
      throw new Error(`two answers are named ${name}: ${other}; ${meaning}`);
    this.#codes.set(name, meaning);
    this.components[name] ??= {
      description: codes.map(told).join('\n\n'),
      headers: headersOf([
        ...(codes.some((code) => CHALLENGED.includes(code)) ? (['WWW-Authenticate'] as const) : []),
        ...(codes.some(isPassing) ? (['Retry-After'] as const) : []),
      ]),
      content: { [mediaTypeOf(dialect)]: { schema: this.#errorSchema(codes, dialect) } },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  /** The common error body with the codes that it may have here. */
  #errorSchema(codes: readonly ErrorCode[], dialect: Dialect): JsonSchema {
    if (dialect === 'oauth' || dialect === 'registration') {
      const words = [...new Set(codes.map((code) => oauthErrorOf(code, dialect !== 'oauth')))];
      const word = { description: 'One of these words.', type: 'string', enum: words };
      const own = this.#schemas.of(oauthErrorBody, 'output');
      return { allOf: [own, { type: 'object', properties: { error: word } }] };
    }
    const body = this.#schemas.of(ERROR_BODIES[dialect], 'output');
    const code = { description: 'One of the codes of this answer.', type: 'string', enum: codes };
    const error = { description: 'What went wrong.', type: 'object', properties: { code } };
    return { allOf: [body, { type: 'object', properties: { error } }] };
  }
}

export const PRIMARY_REDIRECT_NAME = 'PrimaryRedirect';

/** With an example of the answer, if the example of a request has this status. */
function withAnswer(answer: object, status: string, operation: Operation): object {
  const example = answerExample(operation);
  if (example?.body === undefined || String(example.status) !== status) return answer;
  const { content, ...more } = answer as { readonly content?: object };
  return { ...more, content: withExample(content, example.body) };
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

/** What an answer is called whose codes are mainly those of any request. */
const STATUS_NAMES: Readonly<Record<string, string>> = {
  400: 'InvalidRequest',
  503: 'Unavailable',
};

/**
 * A short name, such as `NodeNotFound` or `UnavailableWithBody`: generated clients have types of
 * these names. Codes that any request may be answered with are left out, unless there are no more
 * than two.
 */
function refusalName(status: string, codes: readonly ErrorCode[], dialect: Dialect): string {
  const own = codes.filter((code) => !ANYWHERE.includes(code));
  const named = codes.length <= 2 ? codes : own;
  const [first, second, third, ...more] = named.map(pascalCase);
  const words = [first, second, more.length > 0 ? 'Others' : third];
  const name = words.filter((word) => word !== undefined).join('Or');
  const isShort = codes.length <= 2;
  const hasBody = !isShort && codes.some((code) => WITH_BODY.includes(code));
  const isAnonymous = !isShort && status === '400' && !codes.includes('token_in_query');
  return [
    PREFIXES[dialect],
    name === '' ? (STATUS_NAMES[status] ?? `Status${status}`) : name,
    hasBody ? 'WithBody' : '',
    isAnonymous ? 'Anonymous' : '',
  ].join('');
}

function pascalCase(code: string): string {
  return code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function told(code: ErrorCode): string {
  const { title, hint } = errorCatalogue[code];
  return `\`${code}\`: ${title}. ${hint}`;
}

function isPassing(code: ErrorCode): boolean {
  const entry: CatalogueEntry = errorCatalogue[code];
  return entry.retryAfterSeconds !== undefined;
}

/** Errors carry what clients of other protocols read: of the LLM router, SCIM and OAuth. */
type Dialect = keyof typeof PREFIXES;

const ERROR_BODIES = { plain: errorBody, router: routerErrorBody, scim: scimErrorBody } as const;
const PREFIXES = {
  plain: '',
  router: 'Router',
  scim: 'Scim',
  oauth: 'OAuth',
  registration: 'OAuthRegistration',
} as const;

function dialectOf(path: string): Dialect {
  if (path.startsWith('/api/scim/')) return 'scim';
  if (isOAuthPath(path)) return path.endsWith('/register') ? 'registration' : 'oauth';
  return /^\/api\/llm\/(?:openai|anthropic)\//.test(path) ? 'router' : 'plain';
}

function mediaTypeOf(dialect: Dialect): string {
  return dialect === 'scim' ? SCIM_MEDIA_TYPE : JSON_TYPE;
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
const JSON_BODY: readonly ErrorCode[] = ['malformed_json', 'body_too_complex'];

const ANYWHERE: readonly ErrorCode[] = [...CONNECTION, ...GATE, ...CALLER, ...BODY, ...JSON_BODY];
const WITH_BODY: readonly ErrorCode[] = [...BODY, ...JSON_BODY];

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
    add(JSON_BODY);
  }
  // Without a name, and without the name of a provider that there is, it is another path.
  if (path.includes('{+') || path.includes('{provider}')) codes.add('route_not_found');
  return [...codes].toSorted();
}
