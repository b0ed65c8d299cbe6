import { openGraphReader } from '#graph/open-reader.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { VaultReader } from '#identity/vault.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';
import { openVaultReader } from './vault-reader.ts';

/** What a thread reads with, beside the one that writes. */
export interface ReadState extends Disposable {
  readonly reader: StateReader;
  readonly vault: VaultReader;
  /**
   * For a reader in another thread. The one that writes has opened the environments for the whole process, so no other thread
   * needs the key: least of all those that run the code of endpoints.
   */
  readonly store: { readonly storage: string; readonly environmentKey: undefined };
}

/** Once the thread that writes has the state open. */
export function openReadState(storage: string, sequence: AppliedSequence): ReadState {
  using opened = new DisposableStack();
  const store = { storage, environmentKey: undefined };
  const newestSequence = (): number => sequence.get();
  const reader = opened.use(openGraphReader({ ...store, newestSequence }));
  const vault = opened.use(openVaultReader({ ...store, newestSequence }));
  const resources = opened.move();
  return { reader, vault, store, [Symbol.dispose]: () => resources.dispose() };
}
