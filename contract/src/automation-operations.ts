import type { Operation } from './operation.ts';
import {
  cancelMigration,
  createMigration,
  deleteMigration,
  getMigration,
  listMigrations,
  putMigration,
  resetMigrationStatus,
  runMigration,
  runMigrations,
} from './operations/migrations.ts';
import {
  checkTaskSchedule,
  createTask,
  deleteTask,
  disableTask,
  enableTask,
  getTask,
  listBuiltInTasks,
  listTaskRuns,
  listTasks,
  putTask,
  runTask,
} from './operations/tasks.ts';

/** The rows of the table for what the server does by itself: tasks and migrations. */
export const automationOperations: readonly Operation[] = [
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
