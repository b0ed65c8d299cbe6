import type { Manifest } from './manifest.ts';

/** A snapshot whose pieces can be had until it is disposed of. */
export interface SnapshotLease extends Disposable {
  readonly manifest: Manifest;
  /** The bytes are the caller's own. Throws the problem `piece_not_found`. */
  read(digest: string): Promise<Uint8Array>;
}
