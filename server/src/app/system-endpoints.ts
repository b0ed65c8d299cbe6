import { join } from 'node:path';
import type { Caller } from '#access/caller.ts';
import { BUILT_IN_FOLDER } from '#runtime/endpoint-definition.ts';
import { readEndpointFiles, SERVER, type EndpointFile } from './endpoint-files.ts';

/** As much of the endpoint service as it takes. */
export interface EndpointInstaller {
  install(caller: Caller, endpoint: EndpointFile): Promise<void>;
}

const FOLDER = join(import.meta.dirname, '../../system-endpoints');

/**
 * The endpoints that the server brings along for its front end (open-shapes, section 5, "Search
 * over HTTP").
 */
export async function readSystemEndpoints(): Promise<EndpointFile[]> {
  const files = await readEndpointFiles(FOLDER);
  return files.map((file) => ({ ...file, name: `${BUILT_IN_FOLDER}/${file.name}` }));
}

/** Brings them up to the version of this program. */
export async function installSystemEndpoints(endpoints: EndpointInstaller): Promise<void> {
  for (const endpoint of await readSystemEndpoints()) await endpoints.install(SERVER, endpoint);
}
