import type { Caller } from '#access/caller.ts';
import { ENDPOINT_INPUT_FAULTS_MAX } from '#base/endpoint-limits.ts';
import { Problem } from '#base/problem.ts';
import { isErrorCode, type ErrorCode } from '@trellis/contract/errors.ts';
import { isBuiltIn } from './endpoint-definition.ts';
import { guestText } from './guest-text.ts';
import type { CallFault, CallResult } from './sandbox/endpoint-call.ts';

/** What goes back to the caller. `body` is JSON text, null for none. */
export interface EndpointAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const STATUSES_WITHOUT_BODY: readonly number[] = [204, 205, 304];
/** Headers of an answer that cannot be given now. */
const SOON = { 'retry-after': '1' } as const;
const HEADER_VALUE = /^[\x21-\x7e]+$/;

export function answerOf(result: CallResult): EndpointAnswer {
  switch (result.kind) {
    case 'answer': {
      const { status } = result;
      const body = STATUSES_WITHOUT_BODY.includes(status) ? null : result.json;
      return status === 503 ? { status, headers: SOON, body } : { status, body };
    }
    case 'redirect':
      if (!HEADER_VALUE.test(result.location)) {
        throw new Problem('endpoint_failed', 'The endpoint redirects to something that is no URL');
      }
      return { status: result.status, headers: { location: result.location }, body: null };
    case 'refusal':
      throw refusal(result);
    case 'invalid':
      throw invalidBody(result);
    case 'problem':
      throw passedOn(result);
  }
}

/**
 * What may be passed on: what callers cause, and what passes. With anything else the endpoint has
 * failed.
 */
const PASSED_ON: ReadonlySet<ErrorCode> = new Set([
  'bad_request',
  'embeddings_not_configured',
  'embeddings_unavailable',
  'endpoint_not_found',
  'endpoint_overloaded',
  'file_not_found',
  'forbidden',
  'index_needed',
  'index_opening',
  'invalid_operation',
  'invalid_query',
  'invalid_request',
  'invalid_vector',
  'llm_busy',
  'llm_not_configured',
  'llm_quota_exceeded',
  'model_not_found',
  'node_not_found',
  'not_found',
  'not_ready',
  'read_only_replica',
  'search_timeout',
  'too_many_requests',
  'version_conflict',
  'write_conflict',
]);

/** The error body of what `passOn()` was given. All of it is of the guest's making. */
function passedOn({ json }: Extract<CallResult, { kind: 'problem' }>): Problem {
  const { code, message, hint, details } = Object(JSON.parse(json)) as Record<string, unknown>;
  if (typeof code !== 'string' || !isErrorCode(code) || !PASSED_ON.has(code)) {
    return new Problem('endpoint_failed', `The endpoint failed: ${guestText(code)}`);
  }
  return new Problem(code, guestText(message), {
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(typeof details === 'object' && details !== null
      ? { details: details as Readonly<Record<string, unknown>> }
      : {}),
  });
}

/**
 * What the server brings along answers errors as the server does: with the one error body, and its
 * `traceId`.
 */
export function ofBuiltIn(name: string, result: CallResult): CallResult {
  if (result.kind !== 'answer' || result.status < 400 || !isBuiltIn(name)) return result;
  const { error } = Object(JSON.parse(result.json)) as { readonly error?: unknown };
  return error === undefined ? result : { kind: 'problem', json: JSON.stringify(error) };
}

/** The error body that a helper of the scope asked for: `badRequest('...')` and its like. */
export function refusal({ status, message }: Extract<CallResult, { kind: 'refusal' }>): Problem {
  switch (status) {
    case 400:
      return new Problem('bad_request', message);
    case 401:
      return new Problem('unauthorized', message);
    case 403:
      return new Problem('forbidden', message);
    case 404:
      return new Problem('not_found', message);
    default:
      return new Problem('endpoint_failed', 'The endpoint refuses the call with an unknown status');
  }
}

/**
 * The error body for what the endpoint's `input` does not take. The faults are of the guest's
 * making.
 */
export function invalidBody({ faults }: Extract<CallResult, { kind: 'invalid' }>): Problem {
  const listed = JSON.parse(faults) as unknown;
  const fields = (Array.isArray(listed) ? listed : [])
    .slice(0, ENDPOINT_INPUT_FAULTS_MAX)
    .map((fault: unknown) => Object(fault) as Record<string, unknown>)
    .map(({ path, message }) => ({ path: guestText(path), message: guestText(message) }));
  const [first] = fields;
  const where = first === undefined || first.path === '' ? 'body' : `body, ${first.path}`;
  return new Problem('invalid_request', `${where}: ${first?.message ?? 'not valid'}`, {
    details: { fields },
  });
}

/** The JSON that `run()` gives; throws the problem that the other endpoint answered with. */
export function jsonOf(path: string, result: CallResult): string {
  switch (result.kind) {
    case 'answer':
      if (result.status < 400) return result.json;
      throw new Problem('endpoint_failed', `"${path}" answered ${result.status}`, {
        details: { status: result.status },
      });
    case 'redirect':
      return JSON.stringify({ location: result.location });
    case 'refusal':
      throw refusal(result);
    case 'invalid':
      throw invalidBody(result);
    case 'problem':
      throw passedOn(result);
  }
}

/** Why a call has no answer; what the code threw, and where, is for administrators. */
export function problemOf(fault: CallFault, name: string, caller: Caller): Problem {
  switch (fault.kind) {
    case 'malformed':
      return new Problem('malformed_json', `The body is not JSON: ${fault.message}`);
    case 'timeout':
      return new Problem('endpoint_timeout', `The endpoint "${name}" ran longer than it may`);
    case 'overloaded':
      return new Problem(
        'endpoint_overloaded',
        `The endpoint "${name}" was not run: ${fault.message}`,
      );
    case 'memory':
    case 'stopped':
      return new Problem('endpoint_failed', `The endpoint "${name}" was ended: ${fault.message}`, {
        details: { reason: fault.kind },
      });
    case 'failed':
      return caller.isAdmin || caller.isReadOnlyAdmin
        ? failure(fault, name)
        : new Problem('endpoint_failed', `The endpoint "${name}" failed`);
  }
}

function failure({ message, guestStack }: CallFault, name: string): Problem {
  const own = placeIn(guestStack, `${name}.ts`);
  const [, module = ''] = IMPORTED_PLACE.exec(guestStack) ?? [];
  const inside = module === '' ? undefined : placeIn(guestStack, module);
  const isInside = inside !== undefined && inside.at < (own?.at ?? Infinity);
  const where = [
    ...(isInside ? [`${module}, ${inWords(inside)}`] : []),
    ...(own === undefined ? [] : [inWords(own)]),
  ].join('; called from ');
  if (where === '') return new Problem('endpoint_failed', message);
  const details = {
    ...(own === undefined ? {} : { line: own.line, column: own.column }),
    ...(isInside ? { in: { file: module, line: inside.line, column: inside.column } } : {}),
  };
  return new Problem('endpoint_failed', `${message} (${where})`, { details });
}

/** In a module, in a file of a package, or in a package whose source map does not know better. */
const IMPORTED_PLACE =
  /(?:at |\()((?:#lib|(?:\.\.?\/)*node_modules)\/[^():]+|npm:[^\s():]+):\d+:\d+/;

interface StackPlace {
  /** Where it stands in the stack: the innermost place is the first. */
  readonly at: number;
  readonly line: number;
  readonly column: number;
}

/** The innermost place in a file. */
function placeIn(stack: string, file: string): StackPlace | undefined {
  const at = stack.indexOf(`${file}:`);
  const [, line, column] = /^:(\d+):(\d+)/.exec(stack.slice(at + file.length)) ?? [];
  if (at < 0 || line === undefined) return undefined;
  return { at, line: Number(line), column: Number(column) };
}

function inWords({ line, column }: StackPlace): string {
  return `line ${line}, column ${column}`;
}
