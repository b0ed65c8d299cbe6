import { TrellisError } from '@trellis/client/trellis-error.ts';
import { harmless } from './terminal.ts';

export const EXIT_GOOD = 0;
export const EXIT_FAILED = 1;
export const EXIT_WRONG_USAGE = 2;

export interface FailureExtra {
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** The code of the service's refusal, if the service refused. */
  readonly code?: string;
  readonly cause?: unknown;
}

/** The command could not do what it was asked. */
export class CommandFailure extends Error {
  override readonly name: string = 'CommandFailure';
  readonly code: string;
  readonly hint: string | undefined;

  constructor(message: string, extra: FailureExtra = {}) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.code = extra.code ?? 'failed';
    this.hint = extra.hint;
  }
}

/** The command was called wrongly. */
export class WrongUsage extends CommandFailure {
  override readonly name = 'WrongUsage';

  constructor(message: string, hint?: string) {
    super(message, { hint, code: 'wrong_usage' });
  }
}

/** A failure as it is shown: `--json` prints it as it is. */
export interface FailureReport {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly traceId?: string;
}

/** The report of an error; `server` is the address that a refusal came from. */
export function reportOf(error: unknown, server: string): FailureReport {
  if (error instanceof TrellisError) return reportOfTrellisError(error, server);
  if (error instanceof CommandFailure) return withHint(error.code, error.message, error.hint);
  if (isSystemError(error)) return { code: error.code.toLowerCase(), message: error.message };
  // Ours, not the user's: the stack is what helps to find it.
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return withHint('unexpected', message, 'This is a fault of the command. Please report it.');
}

function withHint(code: string, message: string, hint: string | undefined): FailureReport {
  return hint === undefined ? { code, message } : { code, message, hint };
}

function reportOfTrellisError(error: TrellisError, server: string): FailureReport {
  const hint = HINTS[error.code]?.(server) ?? error.hint;
  return {
    ...withHint(error.code, error.message, hint),
    ...(error.details === undefined ? {} : { details: error.details }),
    ...(error.traceId === undefined ? {} : { traceId: error.traceId }),
  };
}

/** Where the command knows better than the service what to do. */
const HINTS: Readonly<Record<string, (server: string) => string>> = {
  connection_failed: () =>
    'Start a server with "trellis serve", or name another one with --server URL or TRELLIS_SERVER.',
  missing_token: (server) =>
    `Sign in with "trellis login --server ${server}", or set TRELLIS_TOKEN to an API token.`,
  invalid_token: (server) =>
    `The session has ended or belongs to another server: sign in with "trellis login --server ${server}".`,
};

function isSystemError(error: unknown): error is Error & { code: string } {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && 'errno' in error
  );
}

/** The report as text for people. */
export function failureText(report: FailureReport): string {
  const lines = [`error: ${report.message}`];
  const fields = report.details?.['fields'];
  if (Array.isArray(fields)) {
    for (const field of fields as { path?: unknown; message?: unknown }[]) {
      lines.push(`  ${String(field.path)}: ${String(field.message)}`);
    }
  }
  if (report.hint !== undefined) lines.push(`hint: ${report.hint}`);
  if (report.traceId !== undefined) lines.push(`trace: ${report.traceId}`);
  return lines.join('\n').split('\n').map(harmless).join('\n');
}
