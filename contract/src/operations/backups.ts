import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import { backupList } from '../shapes/backup.ts';
import { jobWithLog } from '../shapes/job.ts';
import { pageQuery } from '../shapes/list.ts';

const params = z.object({ id: z.string().min(1).max(100) });

export const operations = withIds({
  runBackup: {
    sdk: 'backups.run',
    area: 'backups',
    method: 'POST',
    path: '/api/admin/backup/run',
    auth: 'admin-write',
    scope: 'admin:backup',
    responses: { 202: { description: 'The job that makes it.', body: jobWithLog } },
    errors: ['no_backup_target', 'backup_running'],
    onReplica: 'redirect',
    summary: 'Begin a backup of the workspace, while it goes on.',
  },

  listBackups: {
    sdk: 'backups.list',
    area: 'backups',
    method: 'GET',
    path: '/api/admin/backups',
    auth: 'admin',
    scope: 'admin:backup',
    query: pageQuery,
    responses: { 200: { description: 'Backups, newest first.', body: backupList } },
    errors: ['backup_target_failed', 'backup_format_unknown', 'backup_corrupt'],
    onReplica: 'redirect',
    summary: 'List the backups of the workspace.',
  },

  verifyBackup: {
    sdk: 'backups.verify',
    area: 'backups',
    method: 'POST',
    path: '/api/admin/backups/{id}/verify',
    auth: 'admin-write',
    scope: 'admin:backup',
    params,
    responses: { 202: { description: 'The job that compares it.', body: jobWithLog } },
    errors: [
      'no_backup_target',
      'backup_not_found',
      'backup_running',
      'backup_target_failed',
      'backup_format_unknown',
      'backup_corrupt',
    ],
    onReplica: 'redirect',
    summary: 'Restore a backup beside the workspace and compare it with what it was made of.',
  },

  deleteBackup: {
    sdk: 'backups.delete',
    area: 'backups',
    method: 'DELETE',
    path: '/api/admin/backups/{id}',
    auth: 'admin-write',
    scope: 'admin:backup',
    params,
    responses: { 204: { description: 'It is gone, and what only it needed.' } },
    errors: [
      'no_backup_target',
      'backup_not_found',
      'backup_running',
      'backup_target_failed',
      'backup_target_in_use',
      'backup_target_mismatch',
      'backup_format_unknown',
      'backup_corrupt',
    ],
    onReplica: 'redirect',
    summary: 'Delete a backup, for good.',
  },
} as const satisfies Rows);
