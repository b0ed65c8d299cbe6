import type { Caller } from '#access/caller.ts';
import type { AiProviders, CheckedAiProvidersChange } from '@trellis/contract/shapes/assistant.ts';
import type { Awaitable } from './answer.ts';

/** The servers that are asked for what models do. `address` is that of the client, for the audit. */
export interface AiProviderService {
  get(caller: Caller): Awaitable<AiProviders>;
  /** Throws `invalid_request` when a key would be sent to another server than it was given for, and `version_conflict`. */
  put(caller: Caller, change: CheckedAiProvidersChange, address: string): Promise<AiProviders>;
}
