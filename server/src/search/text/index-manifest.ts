import { join } from 'node:path';
import { DamagedIndexError } from './segment-codec.ts';

/** What an index on disk consists of. */
export interface IndexManifest {
  /** Sequence of the last commit that is in the index. */
  readonly sequence: number;
  /** Digest of the settings that it was made with. */
  readonly settings: string;
  readonly segments: readonly StoredSegment[];
}

export interface StoredSegment {
  readonly id: number;
  readonly documentCount: number;
  readonly deletedCount: number;
}

/** In the storage folder. */
export function indexFolder(storage: string): string {
  return join(storage, 'search');
}

export function segmentName(id: number): string {
  return `segment-${id}`;
}

export function deletedName(id: number, deletedCount: number): string {
  return `deleted-${id}-${deletedCount}`;
}

/** Grows whenever a manifest, or a file that it names, would be read wrongly. */
const FORMAT = 1;

export function encodeManifest(manifest: IndexManifest): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ format: FORMAT, ...manifest }));
}

/** Its checksum was verified: it is as it was written, though it may be of another version. */
export function decodeManifest(bytes: Uint8Array): IndexManifest {
  const { format, ...manifest } = JSON.parse(new TextDecoder().decode(bytes)) as IndexManifest & {
    readonly format: number;
  };
  if (format !== FORMAT) throw new DamagedIndexError(`the index has the format ${format}`);
  return manifest;
}
