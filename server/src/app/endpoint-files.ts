import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { serverCaller } from '#access/caller.ts';
import { parseSettings, type EndpointSettings } from '@trellis/endpoint/settings-header.ts';

export type EndpointFile = EndpointSettings & { readonly name: string; readonly code: string };

/** The endpoints of a folder, each named like its file, in their order. */
export async function readEndpointFiles(folder: string): Promise<EndpointFile[]> {
  const files = (await readdir(folder)).filter((file) => extname(file) === '.ts').toSorted();
  return Promise.all(
    files.map(async (file) => {
      const code = await readFile(join(folder, file), 'utf8');
      return { name: basename(file, '.ts'), code, ...parseSettings(code) };
    }),
  );
}

/** The server itself, as the one who writes its endpoints. */
export const SERVER = serverCaller('system');
