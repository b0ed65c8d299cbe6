import { join } from 'node:path';
import type { AppliedSequence } from '#log/applied-sequence.ts';
import { openLogTail, type LogTail } from '#log/log-tail.ts';
import { readStoreKeys, type StoreKeys } from '#store/master-key.ts';

interface PublishedLog {
  readonly log: LogTail;
  readonly isEncrypted: boolean;
  /** The keys of the store that the log belongs to. */
  readonly keys: StoreKeys;
}

/**
 * The log of a storage folder for a thread beside the one that writes it, as far as the state has
 * published.
 */
export async function openPublishedLog(
  storage: string,
  masterKey: string | null,
  applied: AppliedSequence,
): Promise<PublishedLog> {
  const keys = readStoreKeys({ storage, masterKey: masterKey ?? undefined });
  const { logKey } = keys;
  const log = await openLogTail({
    folder: join(storage, 'log'),
    durable: applied,
    ...(logKey === undefined ? {} : { encryptionKey: logKey }),
  });
  return { log, isEncrypted: logKey !== undefined, keys };
}
