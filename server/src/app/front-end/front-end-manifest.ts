import { createHash } from 'node:crypto';
import { readSetting, settingOperation } from '#access/settings.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { FrontEndFiles } from './front-end-files.ts';

/**
 * What a front end consists of: a setting of the graph, so that replicas see it change with
 * everything else.
 */
export interface FrontEndManifest {
  /** SHA-256 over the files, hexadecimal: changes when any of them does. */
  readonly digest: string;
  readonly files: readonly FrontEndManifestFile[];
}

export interface FrontEndManifestFile {
  /** Such as `/index.html`, percent-encoded. */
  readonly path: string;
  /** SHA-256, hexadecimal. */
  readonly digest: string;
  readonly bytes: number;
}

/** The setting that names what is served. */
export const MANIFEST_SETTING = 'frontEnd';

export function manifestOf(frontEnd: FrontEndFiles): FrontEndManifest {
  const files = [...frontEnd].map(([path, { digest, bytes }]) => ({
    path,
    digest,
    bytes: bytes.length,
  }));
  return { digest: digestOf(files), files };
}

function digestOf(files: FrontEndManifest['files']): string {
  const lines = files.map(({ path, digest }) => `${digest} ${path}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/**
 * The manifest that the reader shows; undefined when there is none. Throws `replication_corrupt`.
 */
export function readFrontEndManifest(
  reader: GraphReader,
  setting = MANIFEST_SETTING,
): FrontEndManifest | undefined {
  const stored = readSetting(reader, setting);
  if (stored === undefined) return undefined;
  const { digest, files } = stored as Partial<FrontEndManifest>;
  if (!Array.isArray(files) || !files.every(isFile) || digest !== digestOf(files)) {
    throw new Problem('replication_corrupt', `the manifest "${setting}" cannot be read`);
  }
  return { digest, files };
}

/** Stores the manifest for the replicas; makes a commit only when it differs. */
export async function storeManifest(
  { reader, commits }: { readonly reader: GraphReader; readonly commits: CommitPort },
  manifest: FrontEndManifest,
): Promise<void> {
  reader.refresh();
  const stored = readSetting(reader, MANIFEST_SETTING) as Partial<FrontEndManifest> | undefined;
  if (stored?.digest === manifest.digest) return;
  await commits.commit({
    system: true,
    operations: [settingOperation(MANIFEST_SETTING, manifest)],
  });
}

function isFile(file: unknown): file is FrontEndManifestFile {
  if (typeof file !== 'object' || file === null) return false;
  const { path, digest, bytes } = file as Partial<FrontEndManifestFile>;
  const isDigest = typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest);
  return isDigest && typeof path === 'string' && Number.isSafeInteger(bytes);
}
