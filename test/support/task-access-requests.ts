import type { AccessRequests } from './access-request.ts';

/** The requests of tasks and migrations. There is none of this name: 404 is an answer to those who may. */
export const TASK_ACCESS_REQUESTS: AccessRequests = {
  listTasks: () => ({ path: '/api/admin/tasks' }),
  listBuiltInTasks: () => ({ path: '/api/admin/built-in-tasks' }),
  createTask: (_scene, times) => ({
    path: '/api/admin/tasks',
    body: { name: `task-${times}`, cron: '0 3 1 1 *', endpoint: 'ours/echo' },
  }),
  checkTaskSchedule: () => ({ path: '/api/admin/tasks/check', body: { cron: '@daily' } }),
  getTask: () => ({ path: '/api/admin/tasks/none' }),
  putTask: () => ({ path: '/api/admin/tasks/none', body: { enabled: false } }),
  deleteTask: () => ({ path: '/api/admin/tasks/none' }),
  runTask: () => ({ path: '/api/admin/tasks/none/run' }),
  enableTask: () => ({ path: '/api/admin/tasks/none/enable' }),
  disableTask: () => ({ path: '/api/admin/tasks/none/disable' }),
  listMigrations: () => ({ path: '/api/migrations' }),
  createMigration: (_scene, times) => ({
    path: '/api/migrations',
    body: { name: `migration-${times}`, code: 'export default () => 1;' },
  }),
  runMigrations: () => ({ path: '/api/migrations/run', body: { name: 'none' } }),
  // None is running: 409 is an answer to those who may.
  cancelMigration: () => ({ path: '/api/migrations/cancel' }),
  resetMigrationStatus: () => ({ path: '/api/migrations/reset-task-status' }),
  getMigration: () => ({ path: '/api/migrations/none' }),
  putMigration: () => ({ path: '/api/migrations/none', body: {} }),
  deleteMigration: () => ({ path: '/api/migrations/none' }),
  runMigration: () => ({ path: '/api/migrations/none/run' }),
  listTaskRuns: () => ({ path: '/api/admin/tasks/none/log' }),
};
