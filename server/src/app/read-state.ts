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
  /** For a reader of the graph in another process. */
  readonly store: { readonly storage: string; readonly environmentKey: string | undefined };
}

/** Once the thread that writes has the state open. */
export function openReadState(
  storage: string,
  masterKey: string | null | undefined,
  sequence: AppliedSequence,
): ReadState {
  using opened = new DisposableStack();
  const keys = readStoreKeys({ storage, masterKey: masterKey ?? undefined });
  const { environmentKey, vaultKey } = keys;
  const store = { storage, environmentKey };
  const newestSequence = (): number => sequence.get();
  const reader = opened.use(openGraphReader({ ...store, newestSequence }));
  const vault = opened.use(openVaultReader({ ...store, vaultKey, newestSequence }));
  const resources = opened.move();
  return { reader, vault, store, [Symbol.dispose]: () => resources.dispose() };
}
