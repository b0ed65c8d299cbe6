import { must } from '#base/assert.ts';
import { DATABASES } from '#store/databases.ts';
import type { Manifest, ManifestPiece } from '#store/manifest.ts';

/**
 * A database in which two states of one sequence differ, by the pieces that only one of them has.
 */
export interface StateDifference {
  /** Its name. */
  readonly database: string;
  readonly piecesOnPrimary: number;
  readonly piecesOnReplica: number;
  /** With which the first of these pieces begins, hexadecimal. */
  readonly firstKey: string;
}

/** Compares two manifests of the same sequence; answers with nothing when the states are equal. */
export function differencesBetween(primary: Manifest, replica: Manifest): StateDifference[] {
  const differences: StateDifference[] = [];
  for (const { number, name } of DATABASES) {
    const ours = piecesOf(primary, number);
    const theirs = piecesOf(replica, number);
    const onPrimary = without(ours, theirs);
    const onReplica = without(theirs, ours);
    if (onPrimary.length + onReplica.length === 0) continue;
    const keys = [...onPrimary, ...onReplica].map(({ firstKey }) => firstKey).toSorted();
    differences.push({
      database: name,
      piecesOnPrimary: onPrimary.length,
      piecesOnReplica: onReplica.length,
      firstKey: must(keys[0], 'a piece that differs'),
    });
  }
  return differences;
}

function piecesOf({ databases }: Manifest, number: number): readonly ManifestPiece[] {
  return databases.find((database) => database.number === number)?.pieces ?? [];
}

function without(
  pieces: readonly ManifestPiece[],
  others: readonly ManifestPiece[],
): ManifestPiece[] {
  const digests = new Set(others.map(({ digest }) => digest));
  return pieces.filter(({ digest }) => !digests.has(digest));
}
