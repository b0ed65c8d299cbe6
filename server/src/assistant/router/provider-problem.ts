import { Problem, type ProblemExtra } from '#base/problem.ts';
import { fetchFault } from '#runtime/fetch-fault.ts';
import { delayOf, faultOf, type ProviderAnswer } from '../provider-failure.ts';

const REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);
const BUSY: ReadonlySet<number> = new Set([408, 425, 429]);

/** What an answer other than 200 means to the client. */
export function problemOfAnswer(
  answer: ProviderAnswer,
  apiKey: string | null,
  now: number,
): Problem {
  const { status, retryAfter, text } = answer;
  // Providers repeat parts of a key that they do not know.
  const words = status === 401 || status === 403 ? '' : faultOf(text, apiKey);
  const says = `${status}${words === '' ? '' : `: ${words}`}`;
  if (REFUSED.has(status)) {
    return new Problem('llm_request_refused', `The provider refuses the request with ${says}`);
  }
  const message = `The provider answers ${says}`;
  const extra = waiting(delayOf(retryAfter, now));
  if (BUSY.has(status)) return new Problem('llm_busy', message, extra);
  if (status >= 500) return new Problem('llm_unavailable', message, extra);
  return misconfigured(`answers ${says}`);
}

function waiting(delayMs: number | undefined): ProblemExtra {
  if (delayMs === undefined) return {};
  return { details: { retryAfterSeconds: Math.ceil(delayMs / 1_000) } };
}

/** Where the provider is, is told to administrators only, with the cause. */
export function unreachable(cause: unknown): Problem {
  return new Problem('llm_unavailable', 'The provider cannot be reached.', { cause });
}

export function tooLate(): Problem {
  return new Problem('llm_unavailable', 'The provider takes too long.');
}

/** Of an event with which a provider ends its stream before the answer is whole. */
export function problemOfEvent(data: string, apiKey: string | null): Problem {
  const words = faultOf(data, apiKey);
  const message = `The provider broke off${words === '' ? '.' : `: ${words}`}`;
  return new Problem('llm_unavailable', message);
}

export function brokenOff(cause?: unknown): Problem {
  const message = 'The provider broke off before the answer was whole.';
  return new Problem('llm_unavailable', message, { cause });
}

/** `what` goes on after "The provider". */
export function misconfigured(what: string, cause?: unknown): Problem {
  return new Problem('llm_misconfigured', `The provider ${what}`, { cause });
}

/** For administrators: with what the network says. */
export function faultWords(problem: Problem): string {
  return problem.cause === undefined
    ? problem.message
    : `${problem.message} (${fetchFault(problem.cause)})`;
}
