/** Headers of this service, as Node gives and takes them: lower case. */
export const REQUEST_ID = 'x-request-id';
export const SEQUENCE = 'x-msk-sequence';
export const MIN_SEQUENCE = 'x-msk-min-sequence';
export const RUN_KEY = 'msk-endpoint-key';
export const RUN_KEY_ALIAS = 'x-msk-endpoint-key';
export const RUN_PROGRESS = 'msk-endpoint-progress';
export const CACHE = 'msk-cache';
export const CHAT = 'msk-chat';

/** A caller's own id is used only when it is harmless in a header, a log or a page. */
const SANE_ID = /^[\w.:-]{8,128}$/;

/**
 * The id of a request, which is also the `traceId` of an error, the `X-Request-Id` of the answer
 * and in the log (open-shapes, section 2).
 */
export function requestIdFrom(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  newRequestId: () => string,
): string {
  const given = headers[REQUEST_ID];
  return typeof given === 'string' && SANE_ID.test(given) ? given : newRequestId();
}
