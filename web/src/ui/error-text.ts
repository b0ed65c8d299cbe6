import { TrellisError } from '@trellis/client/trellis-error.ts';

export interface ErrorText {
  readonly message: string;
  readonly hint?: string | undefined;
  /** Under which the server's log has it. */
  readonly requestId?: string | undefined;
  readonly code?: string | undefined;
}

/** What a person is told of a failure. */
export function describeError(error: unknown): ErrorText {
  if (error instanceof TrellisError) {
    const { code, hint, traceId } = error;
    return { message: asSentence(error.message), hint, requestId: traceId, code };
  }
  return { message: asSentence(error instanceof Error ? error.message : String(error)) };
}

function asSentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
