import type { SampleRequest } from './sample-request.ts';

/** The sample requests of tasks and migrations. */
export const TASK_SAMPLES: Readonly<Record<string, SampleRequest>> = {
  listTasks: { path: '/api/admin/tasks?take=5', status: 200 },
  listBuiltInTasks: { path: '/api/admin/built-in-tasks', status: 200 },
  createTask: {
    path: '/api/admin/tasks',
    json: { name: 'nightly', cron: '0 3 * * *', endpoint: 'words/lookup' },
    status: 201,
  },
  checkTaskSchedule: {
    path: '/api/admin/tasks/check',
    json: { cron: '0 3 * * *', timeZone: 'Europe/Berlin' },
    status: 200,
  },
  getTask: { path: '/api/admin/tasks/nightly', status: 200 },
  putTask: { path: '/api/admin/tasks/nightly', json: { enabled: false }, status: 200 },
  deleteTask: { path: '/api/admin/tasks/nightly', status: 204 },
  runTask: { path: '/api/admin/tasks/nightly/run', status: 202 },
  enableTask: { path: '/api/admin/tasks/nightly/enable', status: 200 },
  disableTask: { path: '/api/admin/tasks/nightly/disable', status: 200 },
  listMigrations: { path: '/api/migrations?skip=1', status: 200 },
  createMigration: {
    path: '/api/migrations',
    json: { name: '001', code: 'export default () => 1;', runOnStartup: true },
    status: 201,
  },
  runMigrations: { path: '/api/migrations/run', status: 202 },
  cancelMigration: { path: '/api/migrations/cancel', json: { name: '001' }, status: 200 },
  resetMigrationStatus: {
    path: '/api/migrations/reset-task-status',
    json: { name: '001' },
    status: 200,
  },
  getMigration: { path: '/api/migrations/001', status: 200 },
  putMigration: { path: '/api/migrations/001', json: { runOnStartup: false }, status: 200 },
  deleteMigration: { path: '/api/migrations/001', status: 204 },
  runMigration: { path: '/api/migrations/001/run', status: 202 },
  listTaskRuns: { path: '/api/admin/tasks/nightly/log?skip=1', status: 200 },
};
