import { openGraphReader } from '#graph/open-reader.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { VaultReader } from '#identity/vault.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';
import { readStoreKeys } from '#store/master-key.ts';
import { openVaultReader } from './vault-reader.ts';

/** What a thread reads with, beside the one that writes. */
export interface ReadState extends Disposable {
  readonly reader: StateReader;
  readonly vault: VaultReader;
  /**
   * For a reader in another process. The thread that writes has opened the environments for the whole of this one, in which no
   * other thread needs the key.
   */
  readonly store: { readonly storage: string; readonly environmentKey: string | undefined };
}

/** Once the thread that writes has the state open. */
export function openReadState(
  storage: string,
  masterKey: string | null | undefined,
  sequence: AppliedSequence,
): ReadState {
  using opened = new DisposableStack();
  const { environmentKey } = readStoreKeys({ storage, masterKey: masterKey ?? undefined });
  const inProcess = { storage, environmentKey: undefined };
  const newestSequence = (): number => sequence.get();
  const reader = opened.use(openGraphReader({ ...inProcess, newestSequence }));
  const vault = opened.use(openVaultReader({ ...inProcess, newestSequence }));
  const store = { storage, environmentKey };
  const resources = opened.move();
  return { reader, vault, store, [Symbol.dispose]: () => resources.dispose() };
}
