import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceFile } from '#backup/take-backup.ts';
import { unlessMissing } from '#log/durable-file.ts';
import { DigestFolder, FRONT_END_FOLDER } from '../front-end/digest-folder.ts';
import { SIGNING_KEY_FILE } from '../signing-key.ts';

/** What goes into a backup besides the state. */
export async function sourceFiles(
  storage: string,
  isEncrypted: boolean,
): Promise<readonly SourceFile[]> {
  return [
    ...(await frontEndFiles(storage)),
    // Whoever has it can sign as anybody: it is kept where it is encrypted, and else nowhere.
    ...(isEncrypted ? [fileOf(storage, SIGNING_KEY_FILE)] : []),
  ];
}

async function frontEndFiles(storage: string): Promise<SourceFile[]> {
  const folder = join(storage, FRONT_END_FOLDER);
  const files = new DigestFolder(folder);
  const names = (await unlessMissing(readdir(folder))) ?? [];
  return names
    .filter((name) => /^[0-9a-f]{64}$/.test(name))
    .map((digest) => ({
      path: `${FRONT_END_FOLDER}/${digest}`,
      digest,
      read: () => files.read(digest),
    }));
}

function fileOf(storage: string, path: string): SourceFile {
  return {
    path,
    digest: undefined,
    read: () => unlessMissing(readFile(join(storage, path))),
  };
}
