import { Problem } from '#base/problem.ts';
import { isBackupId, listHeaders, readHeader, type BackupHeader } from './backup-header.ts';
import { backupCorrupt, noBackup } from './backup-problem.ts';
import type { BackupTarget } from './backup-target.ts';
import { chainAfter, type ArchivedFile } from './log-archive.ts';

/** The point that somebody wants to restore. */
export type RestoreWish =
  | { readonly kind: 'newest' }
  | { readonly kind: 'backup'; readonly id: string }
  | { readonly kind: 'sequence'; readonly sequence: number }
  /** Milliseconds since the Unix epoch. */
  | { readonly kind: 'time'; readonly time: number };

/** The steps to a point. */
export interface RestorePlan {
  readonly header: BackupHeader;
  /** The commits after its pieces, in order; they may go beyond the point. */
  readonly chain: readonly ArchivedFile[];
  /**
   * A commit belongs to the point when it ends at or before this sequence, and is no newer than
   * this time.
   */
  readonly lastSequence: number;
  readonly lastTime: number;
}

/**
 * Reads what people write after `--at`: the id of a backup, a sequence, or a time as in ISO 8601.
 * Throws `invalid_request`.
 */
export function parseRestoreWish(at: string | undefined): RestoreWish {
  if (at === undefined) return { kind: 'newest' };
  if (isBackupId(at)) return { kind: 'backup', id: at };
  if (/^\d{1,15}$/.test(at)) return { kind: 'sequence', sequence: Number(at) };
  const time = /^\d{4}-\d{2}-\d{2}T/.test(at) ? Date.parse(at) : Number.NaN;
  if (Number.isFinite(time)) return { kind: 'time', time };
  throw new Problem('invalid_request', `${JSON.stringify(at)} is no point to restore`, {
    hint: 'Name a backup, a sequence, or a time such as 2026-11-21T18:40:00Z.',
  });
}

/**
 * Throws `backup_not_found`, and `backup_point_unreachable` when the target has not all that leads
 * to the point.
 */
export async function planRestore(target: BackupTarget, wish: RestoreWish): Promise<RestorePlan> {
  switch (wish.kind) {
    case 'newest': {
      const [newest] = await listHeaders(target);
      if (newest === undefined) {
        throw new Problem('backup_not_found', `There is no backup in ${target.name}.`);
      }
      return await planBackup(target, newest);
    }
    case 'backup':
      return await planBackup(target, await readHeader(target, wish.id));
    case 'sequence':
      return await planSequence(target, wish.sequence);
    case 'time':
      return await planTime(target, wish.time);
  }
}

/** Exactly what a backup is of. Throws `backup_corrupt` when commits are missing that it needs. */
export async function planBackup(target: BackupTarget, header: BackupHeader): Promise<RestorePlan> {
  const { id, sequence, snapshotSequence } = header;
  const plan = { header, lastSequence: sequence, lastTime: Infinity };
  if (snapshotSequence === sequence) return { ...plan, chain: [] };
  const { chain, reached } = await chainOf(target, header, sequence);
  if (reached >= sequence) return { ...plan, chain };
  throw backupCorrupt(
    `the backup ${id} needs the commits from ${snapshotSequence + 1} to ${sequence}, and those after ${reached} are missing`,
  );
}

/** Takes the newest of several histories that have the sequence. */
async function planSequence(target: BackupTarget, sequence: number): Promise<RestorePlan> {
  const headers = await listHeaders(target);
  for (const header of headers.filter((one) => one.sequence <= sequence)) {
    if (header.sequence === sequence) return await planBackup(target, header);
    const { chain, reached } = await chainOf(target, header, sequence);
    if (reached >= sequence) {
      return { header, chain, lastSequence: sequence, lastTime: Infinity };
    }
  }
  throw unreachable(`the sequence ${sequence}`, headers);
}

/**
 * What there was at a time is known when a later backup of the same history has archived all
 * commits until then.
 */
async function planTime(target: BackupTarget, time: number): Promise<RestorePlan> {
  const headers = await listHeaders(target);
  const header = headers.find(({ createdAt }) => Date.parse(createdAt) <= time);
  if (header === undefined) throw unreachable(new Date(time).toISOString(), headers);
  if (Date.parse(header.createdAt) === time) return await planBackup(target, header);
  const later = headers.findLast(
    (one) => one.epoch === header.epoch && Date.parse(one.createdAt) >= time,
  );
  if (later === undefined) throw unreachable(new Date(time).toISOString(), headers);
  const { chain, reached } = await chainOf(target, header, later.sequence);
  if (reached < later.sequence) throw unreachable(new Date(time).toISOString(), headers);
  return { header, chain, lastSequence: later.sequence, lastTime: time };
}

function chainOf(target: BackupTarget, { epoch, snapshotSequence }: BackupHeader, to: number) {
  return chainAfter(target, { epoch, sequence: snapshotSequence }, to);
}

function unreachable(point: string, headers: readonly BackupHeader[]): Problem {
  const [newest] = headers;
  if (newest === undefined) return noBackup(`to reach ${point} from`);
  const oldest = headers.at(-1) ?? newest;
  return new Problem(
    'backup_point_unreachable',
    `the backups do not lead to ${point}: they are of ${oldest.createdAt} to ${newest.createdAt} (sequences ${oldest.sequence} to ${newest.sequence}), and not all commits between them are archived`,
  );
}
