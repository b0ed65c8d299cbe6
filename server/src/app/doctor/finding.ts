import { Problem } from '#base/problem.ts';

/** What a check of `trellis doctor` has found. */
export interface Finding {
  readonly check: string;
  /**
   * `warning`: it works, but somebody should look at it. `wrong`: it does not work, or will not for
   * long.
   */
  readonly status: 'ok' | 'warning' | 'wrong';
  /** One sentence, without any secret. */
  readonly message: string;
  /** What to do; null when nothing is to be done. */
  readonly remedy: string | null;
}

/** A check by name. */
export function findingsOf(check: string) {
  return {
    ok: (message: string): Finding => ({ check, status: 'ok', message, remedy: null }),
    warning: (message: string, remedy: string): Finding => ({
      check,
      status: 'warning',
      message,
      remedy,
    }),
    wrong: (message: string, remedy: string): Finding => ({
      check,
      status: 'wrong',
      message,
      remedy,
    }),
    /** Tells of an operation that has failed. */
    failed: (error: unknown, remedy: string): Finding => ({
      check,
      status: 'wrong',
      message: error instanceof Error ? error.message : String(error),
      remedy: (error instanceof Problem ? error.hint : undefined) ?? remedy,
    }),
  };
}
