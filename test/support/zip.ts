import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** A zip of these files. */
export async function zipOf(
  contents: Readonly<Record<string, string | Buffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const zip = new ZipFile();
  for (const [name, text] of Object.entries(contents)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  return Uint8Array.from(await buffer(zip.outputStream));
}
