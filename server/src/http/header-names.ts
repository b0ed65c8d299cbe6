/** Headers of this service, as Node gives and takes them: lower case. */
export const REQUEST_ID = 'x-request-id';
export const SEQUENCE = 'x-msk-sequence';
export const MIN_SEQUENCE = 'x-msk-min-sequence';
export const RUN_KEY = 'msk-endpoint-key';
export const RUN_KEY_ALIAS = 'x-msk-endpoint-key';
export const RUN_PROGRESS = 'msk-endpoint-progress';
export const CACHE = 'msk-cache';
export const CHAT = 'msk-chat';
