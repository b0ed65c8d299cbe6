import type { Caller } from '#access/caller.ts';
import type { InterfaceRecord } from '@trellis/contract/shapes/interface.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type { Awaitable } from './answer.ts';

/** Front ends that were uploaded. `address` is that of the client, for the audit. */
export interface InterfaceService {
  /** By name. */
  list(caller: Caller, page: Page): Awaitable<List<InterfaceRecord>>;
  /** Takes the place of the one of this name; is served when it resolves, if it is the chosen one. Throws `invalid_interface`. */
  put(caller: Caller, name: string, zip: Uint8Array, address: string): Promise<InterfaceRecord>;
  /** Throws `interface_not_found`, `interface_in_use`. */
  delete(caller: Caller, name: string, address: string): Promise<void>;
}
