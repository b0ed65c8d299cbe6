import { zipFiles, type ZipReading } from '#archive/read-zip.ts';
import { Problem } from '#base/problem.ts';
import type { FrontEndFile } from '#http/services.ts';
import { FRONT_END_BYTES_MAX, FRONT_END_FILES_MAX } from '@trellis/contract/limits.ts';
import { frontEndFile, urlPathOf, type FrontEndFiles } from './front-end-folder.ts';

/** They belong to the server: the built-in front end, and the API. */
const RESERVED = ['trellis', 'api'];

const READING: ZipReading = {
  filesMax: FRONT_END_FILES_MAX,
  bytesMax: FRONT_END_BYTES_MAX,
  refusal: (message, more) => new Problem('invalid_interface', message, more),
  checkName: (name, shown) => {
    const [first = ''] = name.split('/');
    if (!RESERVED.includes(first)) return;
    const message = `${shown} could not be reached: what is below "/${first}/" belongs to the server.`;
    throw new Problem('invalid_interface', message, {
      hint: 'Put it into a folder of another name.',
    });
  },
};

/**
 * The files of an interface. As in a folder, those whose names begin with a dot are left out, and
 * what a Mac puts beside files. Throws `invalid_interface` for what is no zip, for names that lead
 * out of it, for too many files or bytes, whatever the zip itself says of them, and when there is
 * no `index.html`.
 */
export async function readInterfaceZip(zip: Uint8Array): Promise<FrontEndFiles> {
  const files = new Map<string, FrontEndFile>();
  for await (const { name, bytes } of zipFiles(zip, READING)) {
    files.set(urlPathOf(name), frontEndFile(bytes));
  }
  if (!files.has('/index.html')) throw withoutPage(files);
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function withoutPage(files: FrontEndFiles): Problem {
  const [first = ''] = files.keys();
  const top = /^\/[^/]+\//.exec(first)?.[0];
  const isOneFolder = top !== undefined && [...files.keys()].every((path) => path.startsWith(top));
  const hint =
    isOneFolder && files.has(`${top}index.html`)
      ? `Zip what is in the folder "${top.slice(1, -1)}", and not the folder itself.`
      : undefined;
  const message = 'The zip has no index.html at its root.';
  return new Problem('invalid_interface', message, hint === undefined ? {} : { hint });
}
