import { Problem, type ProblemMessage } from '#base/problem.ts';
import { CallFault, type CallResult } from './endpoint-call.ts';
import { isInternal } from './told-problem.ts';

/** What an item of a frame answers a call with; undefined when it is of another kind. */
export function resultOf(kind: unknown, status: number, payload: string): CallResult | undefined {
  if (kind === 'invalid') return { kind, faults: payload };
  if (kind === 'problem') return { kind, json: payload };
  if (!(status >= 200 && status <= 599)) return undefined;
  if (kind === 'answer') return { kind, status, json: payload };
  if (kind === 'refusal') return { kind, status, message: payload };
  return kind === 'redirect' ? { kind, status, location: payload } : undefined;
}

/** Why a call has no result, by an item that is no result. */
export function faultOf(kind: unknown, payload: string): CallFault {
  if (kind === 'malformed') return new CallFault('malformed', payload);
  const thrown = (kind === 'failure' ? parsedOrEmpty(payload) : {}) as {
    readonly message?: unknown;
    readonly stack?: unknown;
  };
  const message = String(thrown.message ?? 'it ended without a result');
  return new CallFault('failed', message, guestPlaces(String(thrown.stack ?? '')));
}

/** Whose code failed is told by its own file: where the server's lie is nobody's business. */
function guestPlaces(stack: string): string {
  return stack.replaceAll(/^ +at .*(?:file:\/\/|node:|[( ]\/).*\n?/gm, '').trimEnd();
}

function parsedOrEmpty(json: string): object {
  try {
    return Object(JSON.parse(json)) as object;
  } catch {
    return {};
  }
}

/** The problem of an item `internal`; undefined when it is none of those, which no code of ours sends. */
export function internalProblemOf(payload: string): Problem | undefined {
  const problem = parsedOrEmpty(payload) as Partial<ProblemMessage>;
  const { code, message, hint } = problem;
  const isProblem = typeof code === 'string' && typeof message === 'string';
  if (!isProblem || !isInternal({ code })) return undefined;
  return new Problem(code, message, typeof hint === 'string' ? { hint } : {});
}

/** The code did not make an answer of what it was told. */
export function hasFailed({ kind }: CallResult | CallFault): boolean {
  return kind === 'failed' || kind === 'problem';
}
