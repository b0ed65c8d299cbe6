import type { ErrorCode } from '@trellis/contract/errors.ts';

/**
 * An operating error that a caller can understand and act on. `code` gives it its HTTP status
 * (open-shapes, section 2).
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, extra: ProblemExtra = {}) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.code = code;
    this.hint = extra.hint;
    this.details = extra.details;
  }

  /** A form that survives a message between threads; `fromMessage` is the way back. */
  toMessage(): ProblemMessage {
    return { code: this.code, message: this.message, hint: this.hint, details: this.details };
  }

  static fromMessage(m: ProblemMessage): Problem {
    const extra: { hint?: string; details?: Readonly<Record<string, unknown>> } = {};
    if (m.hint !== undefined) extra.hint = m.hint;
    if (m.details !== undefined) extra.details = m.details;
    return new Problem(m.code, m.message, extra);
  }
}

export interface ProblemExtra {
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export interface ProblemMessage {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
}
