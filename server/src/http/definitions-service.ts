import type { Caller } from '#access/caller.ts';
import type { ImportRequest } from '#definitions/definitions-service.ts';
import type { DefinitionsImport } from '@trellis/contract/shapes/definitions.ts';

/** What is custom in a workspace, as a zip. */
export interface DefinitionsService {
  /** What cannot be read throws before the first piece. */
  exportZip(caller: Caller): AsyncIterable<Uint8Array>;
  /**
   * Goes on when nobody waits for it any more, unless it is a dry run. Throws what the row of the contract names before
   * `request.onAccepted` is called.
   */
  importZip(caller: Caller, zip: Uint8Array, request: ImportRequest): Promise<DefinitionsImport>;
}
