import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { parseSettings, type EndpointSettings } from '@trellis/endpoint/settings-header.ts';

/** As much of the endpoint service as a first start needs. */
export interface EndpointCreator {
  create(
    caller: Caller,
    endpoint: EndpointSettings & { readonly name: string; readonly code: string },
  ): Promise<unknown>;
}

const FOLDER = join(import.meta.dirname, '../../../samples/wordnet/endpoints');

/** The server itself, before there is any user. */
const SYSTEM: Caller = {
  kind: 'session',
  userUid: null,
  userName: null,
  isAdmin: true,
  isReadOnlyAdmin: false,
  isGuest: false,
  roles: [],
  scopes: [],
  endpointPath: null,
  tokenId: 'system',
};

/** Creates the endpoints that the README calls, each from the file of its name; those that exist stay as they are. */
export async function createSampleEndpoints(endpoints: EndpointCreator): Promise<void> {
  const files = (await readdir(FOLDER)).filter((file) => extname(file) === '.ts').toSorted();
  for (const file of files) {
    // One after the other: each is checked by the one compiler.
    const code = await readFile(join(FOLDER, file), 'utf8');
    const name = basename(file, '.ts');
    await endpoints
      .create(SYSTEM, { name, code, ...parseSettings(code) })
      .catch((error: unknown) => {
        if (!(error instanceof Problem && error.code === 'endpoint_exists')) throw error;
      });
  }
}
