import { fromBufferPromise, type Entry } from 'yauzl';
import { FILE_TEXT_ARCHIVE_ENTRIES_MAX, FILE_TEXT_UNPACKED_BYTES_MAX } from '#base/file-limits.ts';

/** The entries of a zip that somebody wants, unpacked, by name. Rejects when they are too many, or too large, whatever the zip says. */
export async function unpack(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
): Promise<ReadonlyMap<string, Buffer>> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const archive = await fromBufferPromise(buffer, { lazyEntries: true, decodeStrings: true });
  const found = new Map<string, Buffer>();
  let entryCount = 0;
  let room = FILE_TEXT_UNPACKED_BYTES_MAX;
  const entries = archive.eachEntry();
  for (;;) {
    const next = await entries.next();
    if (next.done === true) return found;
    const entry: Entry = next.value;
    if (++entryCount > FILE_TEXT_ARCHIVE_ENTRIES_MAX) {
      throw new Error(`the archive has more than ${FILE_TEXT_ARCHIVE_ENTRIES_MAX} entries`);
    }
    if (!isWanted(entry.fileName) || found.has(entry.fileName)) continue;
    if (entry.isEncrypted()) throw new Error('it is encrypted');
    const parts: Buffer[] = [];
    for await (const part of await archive.openReadStreamPromise(entry)) {
      room -= part.length;
      if (room < 0) throw new Error('the archive unpacks to too much');
      parts.push(part);
    }
    found.set(entry.fileName, Buffer.concat(parts));
  }
}
