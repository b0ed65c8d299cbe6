import { eachItem } from '@trellis/client/pages.ts';
import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { DefinitionsImport } from '@trellis/contract/shapes/definitions.ts';
import { ENDPOINT_ACCESS_DEFAULT } from '@trellis/contract/shapes/endpoint.ts';
import { resultOf } from '../commands/definitions.ts';
import type { EndpointFile, Pushed } from '../commands/endpoint-push.ts';
import { packedAlone } from '../definitions-folder.ts';

/** Fewer are created one after the other, where each tells its remarks, too. */
const TOGETHER_MIN = 10;
/** An import takes more files, and larger ones. */
const TOGETHER_MAX = 4_000;
const TOGETHER_CHARACTERS_MAX = 16 * 1024 * 1024;
/** A file that is imported has to say it; an endpoint that is created has it anyway. */
const SAID = { access: ENDPOINT_ACCESS_DEFAULT };

/**
 * Creates the endpoints that the server does not have, as one commit, and tells what came of each.
 * None when there are few of them, and when they cannot all be created: one by one, only what is
 * wrong is refused.
 */
export async function createTogether(
  client: TrellisClient,
  files: readonly EndpointFile[],
  signal: AbortSignal,
): Promise<readonly Pushed[]> {
  if (files.length < TOGETHER_MIN) return [];
  const known = new Set<string>();
  for await (const { name } of eachItem((page) => client.endpoints.list(page, { signal }))) {
    known.add(name);
  }
  let characters = 0;
  const created = files
    .filter(({ name }) => !known.has(name))
    .slice(0, TOGETHER_MAX)
    .filter(({ code }) => (characters += code.length) <= TOGETHER_CHARACTERS_MAX);
  if (created.length < TOGETHER_MIN) return [];
  const zip = await packedAlone(
    'endpoint',
    created.flatMap(({ name, code, settings }) => [
      [`endpoints/${name}.json`, Buffer.from(JSON.stringify({ ...SAID, ...settings }))] as const,
      [`endpoints/${name}.ts`, Buffer.from(code)] as const,
    ]),
  );
  const { applied, items } = await imported(client, zip, signal);
  if (!applied) return [];
  const paths = new Map(created.map(({ name, path }) => [name, path]));
  return items.map(({ name, diagnostics }) => ({
    file: paths.get(name) ?? name,
    name,
    action: 'created',
    compiles: diagnostics.length === 0,
    diagnostics: diagnostics.map(({ line = 1, column = 1, code = 0, message }) => ({
      line,
      column,
      code,
      message,
    })),
  }));
}

async function imported(
  client: TrellisClient,
  zip: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<Pick<DefinitionsImport, 'applied' | 'items'>> {
  try {
    return await resultOf(client.definitions.import(zip, { drafts: true }, { signal }), () => {});
  } catch (error) {
    if (error instanceof TrellisError && error.status !== 401) return { applied: false, items: [] };
    throw error;
  }
}
