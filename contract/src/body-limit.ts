import { BODY_BYTES_MAX_DEFAULT, STRANGER_BODY_BYTES_MAX } from './request-limits.ts';
import type { Operation } from './operation.ts';

/**
 * What the body of a request may have at most, decompressed, where it is taken as a whole: JSON, or
 * a form.
 */
export function bodyBytesMaxOf({
  auth,
  body,
  bodyBytesMax,
}: Pick<Operation, 'auth' | 'body' | 'bodyBytesMax'>): number {
  if (bodyBytesMax !== undefined) return bodyBytesMax;
  return auth === 'none' || body === undefined ? STRANGER_BODY_BYTES_MAX : BODY_BYTES_MAX_DEFAULT;
}
