import { join } from 'node:path';
import { openLogTail, type LogTail } from '#log/log-tail.ts';
import { readStoreKeys } from '#store/master-key.ts';
import type { PublishedSequence } from './writer/published-sequence.ts';

interface PublishedLog {
  readonly log: LogTail;
  readonly isEncrypted: boolean;
}

/** The log of a storage folder for a thread beside the one that writes it, as far as that one has published. */
export async function openPublishedLog(
  storage: string,
  masterKey: string | null,
  published: PublishedSequence,
): Promise<PublishedLog> {
  const { logKey } = readStoreKeys({ storage, masterKey: masterKey ?? undefined });
  const log = await openLogTail({
    folder: join(storage, 'log'),
    durable: published,
    ...(logKey === undefined ? {} : { encryptionKey: logKey }),
  });
  return { log, isEncrypted: logKey !== undefined };
}
