import { Problem } from '#base/problem.ts';
import { jsonText, parsed } from './definition-files.ts';
import { DEFINITIONS_FORMAT, EXPORTED_KINDS } from '@trellis/contract/shapes/definitions.ts';
import type { DefinitionFile, DefinitionKindName } from './definition-kind.ts';

export const MANIFEST_PATH = 'manifest.json';

export interface DefinitionsManifest {
  /** Kinds that whoever wrote the files knew: what there is of others is not missing in them. */
  readonly kinds: ReadonlySet<DefinitionKindName>;
}

/** `version` is that of the product. */
export function manifestFile(
  version: string,
  kinds: readonly DefinitionKindName[],
): DefinitionFile {
  const manifest = { format: DEFINITIONS_FORMAT, product: 'Trellis', version, kinds };
  return { path: MANIFEST_PATH, text: jsonText(manifest) };
}

/** Throws `invalid_definitions`. */
export function readDefinitionsManifest(files: ReadonlyMap<string, string>): DefinitionsManifest {
  const text = files.get(MANIFEST_PATH);
  if (text === undefined) throw withoutManifest(files);
  const { format, kinds } = parsedManifest(text);
  if (format !== DEFINITIONS_FORMAT) {
    const message = `manifest.json says format ${JSON.stringify(format)}; this server reads ${DEFINITIONS_FORMAT}.`;
    throw invalid(
      message,
      'Import into a server of the version that made the export, or a newer one.',
    );
  }
  const named: readonly unknown[] = Array.isArray(kinds) ? kinds : EXPORTED_KINDS;
  return { kinds: new Set(EXPORTED_KINDS.filter((kind) => named.includes(kind))) };
}

function parsedManifest(text: string) {
  try {
    return parsed({ path: MANIFEST_PATH, text });
  } catch (cause) {
    throw invalid(cause instanceof Error ? `${cause.message}.` : String(cause));
  }
}

function withoutManifest(files: ReadonlyMap<string, string>): Problem {
  const inFolder = [...files.keys()].find((path) => path.endsWith(`/${MANIFEST_PATH}`));
  return invalid(
    'The zip has no manifest.json at its root.',
    inFolder === undefined
      ? 'Send what GET /api/graph/export-definitions answers, or the same files.'
      : `Zip what is in the folder "${inFolder.slice(0, -MANIFEST_PATH.length - 1)}", and not the folder itself.`,
  );
}

export function invalid(message: string, hint?: string): Problem {
  return new Problem('invalid_definitions', message, hint === undefined ? {} : { hint });
}
