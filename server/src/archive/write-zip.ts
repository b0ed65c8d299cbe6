import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/**
 * The oldest time that a zip can tell; as it is the same everywhere, it says nothing of where the
 * zip was made.
 */
const OLDEST = new Date(1980, 0, 1);
/** The mode of a file that everybody may read. */
const MODE = 0o100_644;

/**
 * A zip whose bytes depend only on the files and their order, not on where and when they are
 * packed.
 */
export async function* reproducibleZip(
  files: Iterable<{ readonly path: string; readonly text: string }>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const zip = new ZipFile();
  const packed = Readable.from(zip.outputStream);
  zip.on('error', (error: Error) => void packed.destroy(error));
  const options = { mtime: OLDEST, mode: MODE, forceDosTimestamp: true } as const;
  for (const { path, text } of files) {
    zip.addReadStreamLazy(path, options, (done) => {
      done(null, Readable.from([Buffer.from(text)]));
    });
  }
  zip.end();
  try {
    yield* packed;
  } finally {
    packed.destroy();
  }
}
