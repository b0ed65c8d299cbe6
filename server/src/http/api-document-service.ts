import type { Caller } from '#access/caller.ts';
import type { Awaitable } from './answer.ts';

export interface ApiDocumentService {
  /** The OpenAPI document for this caller, as JSON text. */
  text(caller: Caller): Awaitable<string>;
}
