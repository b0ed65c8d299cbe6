import { zipFiles, type ZipReading } from '#archive/read-zip.ts';
import {
  DEFINITION_EXPANSION_FROM_BYTES,
  DEFINITION_EXPANSION_RATIO_MAX,
  DEFINITION_FILES_MAX,
  DEFINITION_PATH_CHARACTERS_MAX,
  DEFINITIONS_BYTES_MAX,
} from '#base/definition-limits.ts';
import { Problem } from '#base/problem.ts';
import { sortFiles } from './definition-files.ts';
import type { DefinitionKind, DefinitionKindName } from './definition-kind.ts';
import { invalid, MANIFEST_PATH, readDefinitionsManifest } from './manifest.ts';

const READING: ZipReading = {
  filesMax: DEFINITION_FILES_MAX,
  bytesMax: DEFINITIONS_BYTES_MAX,
  expansion: {
    ratioMax: DEFINITION_EXPANSION_RATIO_MAX,
    fromBytes: DEFINITION_EXPANSION_FROM_BYTES,
  },
  refusal: (message, more) => new Problem('invalid_definitions', message, more),
  checkName: (name, shown) => {
    if (name.length <= DEFINITION_PATH_CHARACTERS_MAX) return;
    throw invalid(`${shown}... is longer than ${DEFINITION_PATH_CHARACTERS_MAX} characters.`);
  },
};

export type GivenDefinitions = Awaited<ReturnType<typeof readDefinitions>>;

/**
 * The definitions of a zip, not yet looked into. Throws `not_a_zip` for what is none at all, and
 * `invalid_definitions` for one that cannot be read, is no export, or holds more than it may.
 */
export async function readDefinitions(kinds: readonly DefinitionKind[], zip: Uint8Array) {
  refuseOther(zip);
  const files = new Map<string, string>();
  for await (const { name, bytes } of zipFiles(zip, READING)) files.set(name, textOf(name, bytes));
  const manifest = readDefinitionsManifest(files);
  files.delete(MANIFEST_PATH);
  const given = [...files].map(([path, text]) => ({ path, text }));
  return { ...sortFiles(kinds, given), manifest };
}

/** Those of some kinds alone; the files of all others are left out. */
export function limited(
  given: GivenDefinitions,
  kinds: readonly DefinitionKind[],
): GivenDefinitions {
  const isOurs = (kind: DefinitionKindName): boolean => kinds.some((one) => one.kind === kind);
  const foreign = [...given.packed].filter(([kind]) => !isOurs(kind));
  const paths = foreign.flatMap(([, packed]) =>
    [...packed.values()]
      .flatMap(({ json, text }) => [json, text])
      .flatMap((file) => file?.path ?? []),
  );
  return {
    packed: new Map([...given.packed].filter(([kind]) => isOurs(kind))),
    others: [...given.others, ...paths].toSorted(),
    manifest: { kinds: new Set([...given.manifest.kinds].filter(isOurs)) },
  };
}

/** First bytes of a zip, of an empty one, and of one in parts. */
const SIGNATURES = ['PK\u0003\u0004', 'PK\u0005\u0006', 'PK\u0007\u0008'];

function refuseOther(zip: Uint8Array): void {
  const start = Buffer.from(zip.subarray(0, 4)).toString('latin1');
  if (!SIGNATURES.includes(start)) throw new Problem('not_a_zip', 'The upload is not a zip.');
}

function textOf(path: string, bytes: Buffer): string {
  try {
    // A mark at the beginning is a part of the text: what was exported is imported as it was.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const message = `${JSON.stringify(path)} is not text in UTF-8.`;
    throw new Problem('invalid_definitions', message, { cause });
  }
}
