import { must } from '../server/src/base/assert.ts';
import { sealManifest, snapshotCorrupt } from '../server/src/store/manifest.ts';
import type { Manifest } from '../server/src/store/manifest.ts';
import { pieceDigest } from '../server/src/store/piece.ts';

/** A state at one commit; it never changes, the next commit makes another one. */
export interface StateVersion {
  readonly epoch: string;
  readonly sequence: number;
  readonly entries: ReadonlyMap<string, string>;
}

/** One key set to a value. */
export type Operation = readonly [key: string, value: string];

/**
 * Each commit adds one to both, so that no reader may ever see them differ; they lie in different
 * pieces.
 */
export const COUNTERS = ['a/counter', 'b/counter'] as const;

export function encodeCommit(operations: readonly Operation[]): Uint8Array {
  return Buffer.from(JSON.stringify(operations));
}

export function decodeCommit(payload: Uint8Array): readonly Operation[] {
  return JSON.parse(Buffer.from(payload).toString());
}

export function emptyState(epoch: string): StateVersion {
  return { epoch, sequence: 0, entries: new Map() };
}

/** The state after further commits, `last` being the sequence of the last one. */
export function withCommits(
  state: StateVersion,
  payloads: readonly Uint8Array[],
  last: number,
): StateVersion {
  const entries = new Map(state.entries);
  for (const payload of payloads) {
    for (const [key, value] of decodeCommit(payload)) entries.set(key, value);
  }
  return { epoch: state.epoch, sequence: last, entries };
}

const contents = new WeakMap<ReadonlyMap<string, string>, string>();

/** Equal for equal contents. */
export function contentOf({ entries }: StateVersion): string {
  let content = contents.get(entries);
  if (content === undefined) {
    content = writeContent(entries);
    contents.set(entries, content);
  }
  return content;
}

function writeContent(entries: ReadonlyMap<string, string>): string {
  return JSON.stringify([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export interface PiecedState {
  readonly manifest: Manifest;
  readonly pieces: ReadonlyMap<string, Uint8Array>;
}

/** The pieces of a state: all entries whose keys begin with one letter are one. */
export function piecesOf({ epoch, sequence, entries }: StateVersion): PiecedState {
  const byLetter = Map.groupBy(
    [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ([key]) => key[0]!,
  );
  const pieces = new Map<string, Uint8Array>();
  const listed = [...byLetter].map(([letter, operations]) => {
    const bytes = encodeCommit(operations);
    const digest = pieceDigest(bytes);
    pieces.set(digest, bytes);
    const firstKey = Buffer.from(letter).toString('hex');
    return { digest, bytes: bytes.length, entries: operations.length, firstKey };
  });
  return { manifest: sealManifest(epoch, sequence, [{ number: 1, pieces: listed }]), pieces };
}

/** Throws `snapshot_corrupt` when a piece is not what the manifest says. */
export function stateOf(
  { epoch, sequence, databases }: Manifest,
  pieces: ReadonlyMap<string, Uint8Array>,
): StateVersion {
  const entries = new Map<string, string>();
  for (const { digest } of databases.flatMap((database) => database.pieces)) {
    const bytes = must(pieces.get(digest), `piece ${digest}`);
    if (pieceDigest(bytes) !== digest) throw snapshotCorrupt('a piece has another content');
    for (const [key, value] of decodeCommit(bytes)) entries.set(key, value);
  }
  return { epoch, sequence, entries };
}
