import type { ErrorGroup } from './entry.ts';

/** Backups; jobs and the command line alone tell some of these. */
export const backupErrors = {
  no_backup_target: {
    status: 409,
    title: 'No place for backups',
    hint: 'Start the server with MSK_GRAPH_BACKUP_FOLDER: a folder on another disk, or s3://bucket/prefix.',
  },
  backup_not_found: {
    status: 404,
    title: 'Backup not found',
    hint: 'GET /api/admin/backups lists them.',
  },
  backup_running: {
    status: 409,
    title: 'Backups are busy',
    hint: 'One thing is done at a time: wait for the job that is running, or cancel it.',
  },
  backup_target_failed: {
    status: 503,
    title: 'Target of backups failed',
    hint: 'Check that the target can be reached and written; then run it again.',
    retryAfterSeconds: 30,
  },
  backup_target_in_use: {
    status: 409,
    title: 'Target of backups in use',
    hint: 'Give each workspace a target of its own.',
  },
  backup_target_mismatch: {
    status: 409,
    title: 'Backups of another workspace',
    hint: 'Use another target.',
  },
  backup_corrupt: {
    status: 422,
    title: 'Backup damaged',
    hint: 'Use another backup. The next run writes again what a verification has found damaged.',
  },
  backup_format_unknown: {
    status: 409,
    title: 'Backup of a later version',
    hint: 'Use the version that wrote it, or a later one.',
  },
  backup_point_unreachable: {
    status: 422,
    title: 'Point cannot be restored',
    hint: 'See what there is with "trellis backup list"; name a backup, or a point that the archive leads to.',
  },
  restore_unfinished: {
    status: 500,
    title: 'Restore unfinished',
    hint: 'Run the same `trellis restore` again, or empty the folder.',
    internal: true,
  },
} as const satisfies ErrorGroup;
