import { Problem, type ProblemMessage } from '#base/problem.ts';

/** What a thread failed with, as a message: a problem travels as itself, anything else as its stack, for the log. */
export interface ThreadFailure {
  readonly problem: ProblemMessage | null;
  readonly stack: string;
}

export function failureOf(error: unknown): ThreadFailure {
  return {
    problem: error instanceof Problem ? error.toMessage() : null,
    stack: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

export function errorOf({ problem, stack }: ThreadFailure): Error {
  if (problem !== null) return Problem.fromMessage(problem);
  const error = new Error('a thread failed');
  error.stack = stack;
  return error;
}
