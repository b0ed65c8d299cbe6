import type { Logger } from '#observe/logger.ts';
import { REQUEST_ID, SEQUENCE } from './header-names.ts';

/** What every way of answering an error needs. */
export interface ErrorParts {
  readonly logger: Logger;
  /** Those of every answer. */
  readonly securityHeaders: Readonly<Record<string, string>>;
  readonly lingerMs: number;
  /** Where a replica sends what it may not do itself; null on a primary. */
  readonly primaryAddress: string | null;
  newRequestId(): string;
  sequence(): number;
}

/** The headers of an answer that no hook has seen. */
export function commonHeaders(parts: ErrorParts, requestId: string): Record<string, string> {
  return {
    ...parts.securityHeaders,
    [REQUEST_ID]: requestId,
    [SEQUENCE]: String(parts.sequence()),
    'content-type': 'application/json; charset=utf-8',
  };
}
