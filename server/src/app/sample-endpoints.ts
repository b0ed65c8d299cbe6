import { join } from 'node:path';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { readEndpointFiles, SERVER, type EndpointFile } from './endpoint-files.ts';

/** As much of the endpoint service as a first start needs. */
export interface EndpointCreator {
  create(caller: Caller, endpoint: EndpointFile): Promise<unknown>;
}

const FOLDER = join(import.meta.dirname, '../../../samples/wordnet/endpoints');

/** Creates the endpoints that the README calls, each from the file of its name; those that exist stay as they are. */
export async function createSampleEndpoints(endpoints: EndpointCreator): Promise<void> {
  for (const endpoint of await readEndpointFiles(FOLDER)) {
    // One after the other: each is checked by the one compiler.
    await endpoints.create(SERVER, endpoint).catch((error: unknown) => {
      if (!(error instanceof Problem && error.code === 'endpoint_exists')) throw error;
    });
  }
}
