import { Problem } from '#base/problem.ts';
import { ConfigError } from '#config/config-error.ts';

/** Why a command that needs no server did not do what it should, for people. */
export interface CommandProblem {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

export type CommandOutcome<T> = { readonly done: T } | { readonly failure: CommandProblem };

/** Throws what is neither a problem nor a fault of the variables. */
export async function outcomeOf<T>(doing: () => Promise<T>): Promise<CommandOutcome<T>> {
  try {
    return { done: await doing() };
  } catch (error) {
    if (error instanceof ConfigError) {
      const { message } = error;
      return { failure: { code: 'invalid_configuration', message, hint: undefined } };
    }
    if (!(error instanceof Problem)) throw error;
    return { failure: { code: error.code, message: error.message, hint: error.hint } };
  }
}
