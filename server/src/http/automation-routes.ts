import type { Route } from './route.ts';
import { listTasks } from './routes/tasks/listTasks.ts';
import { listBuiltInTasks } from './routes/tasks/listBuiltInTasks.ts';
import { createTask } from './routes/tasks/createTask.ts';
import { checkTaskSchedule } from './routes/tasks/checkTaskSchedule.ts';
import { getTask } from './routes/tasks/getTask.ts';
import { putTask } from './routes/tasks/putTask.ts';
import { deleteTask } from './routes/tasks/deleteTask.ts';
import { runTask } from './routes/tasks/runTask.ts';
import { enableTask } from './routes/tasks/enableTask.ts';
import { disableTask } from './routes/tasks/disableTask.ts';
import { listTaskRuns } from './routes/tasks/listTaskRuns.ts';
import { listMigrations } from './routes/migrations/listMigrations.ts';
import { createMigration } from './routes/migrations/createMigration.ts';
import { runMigrations } from './routes/migrations/runMigrations.ts';
import { cancelMigration } from './routes/migrations/cancelMigration.ts';
import { resetMigrationStatus } from './routes/migrations/resetMigrationStatus.ts';
import { getMigration } from './routes/migrations/getMigration.ts';
import { putMigration } from './routes/migrations/putMigration.ts';
import { deleteMigration } from './routes/migrations/deleteMigration.ts';
import { runMigration } from './routes/migrations/runMigration.ts';

/** The routes of `automationOperations` in the contract. */
export const automationRoutes: readonly Route[] = [
  listTasks,
  listBuiltInTasks,
  createTask,
  checkTaskSchedule,
  getTask,
  putTask,
  deleteTask,
  runTask,
  enableTask,
  disableTask,
  listTaskRuns,
  listMigrations,
  createMigration,
  runMigrations,
  cancelMigration,
  resetMigrationStatus,
  getMigration,
  putMigration,
  deleteMigration,
  runMigration,
];
