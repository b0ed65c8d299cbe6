import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { CommandFailure } from './failure.ts';

/** Contents by path, which has slashes. */
export type FilesByPath = ReadonlyMap<string, Buffer>;

/** The same files are the same zip. */
const NO_TIME = new Date('2000-01-01T00:00:00Z');

export async function packed(files: FilesByPath): Promise<Uint8Array<ArrayBuffer>> {
  const zip = new ZipFile();
  for (const [path, content] of files) zip.addBuffer(content, path, { mtime: NO_TIME });
  zip.end();
  return Uint8Array.from(await buffer(zip.outputStream));
}

/** Refuses names that lead out of the zip, whoever has made it. */
export async function unpacked(zip: Uint8Array): Promise<FilesByPath> {
  const files = new Map<string, Buffer>();
  try {
    const archive = await fromBufferPromise(Buffer.from(zip), { strictFileNames: true });
    for await (const entry of archive.eachEntry()) {
      files.set(entry.fileName, await buffer(await archive.openReadStreamPromise(entry)));
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(`What the server sent is no whole zip: ${why}`, { cause });
  }
  return files;
}
