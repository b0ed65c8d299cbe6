import { z } from 'zod';
import { CHANGE_ERRORS, type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { jobWithLog } from '../shapes/job.ts';
import { listOf, pageQuery } from '../shapes/list.ts';
import {
  builtInTask,
  checkedSchedule,
  newTask,
  scheduleCheck,
  task,
  taskChange,
  taskInPath,
  taskRun,
} from '../shapes/task.ts';
import { JSON_BODY_BYTES_MAX } from '../limits.ts';

const reads = {
  area: 'tasks',
  auth: 'admin',
  scope: 'admin:tasks',
  onReplica: 'redirect',
} as const;
const writes = { ...reads, auth: 'admin-write' } as const;

export const operations = withIds({
  listTasks: {
    ...reads,
    sdk: 'tasks.list',
    method: 'GET',
    path: '/api/admin/tasks',
    query: pageQuery,
    responses: { 200: { description: 'Tasks, by name.', body: listOf(task) } },
    errors: [],
    summary: 'List the tasks: what the server does by itself, and when.',
  },

  listBuiltInTasks: {
    ...reads,
    sdk: 'tasks.listBuiltIn',
    method: 'GET',
    path: '/api/admin/built-in-tasks',
    responses: {
      200: { description: 'By name.', body: z.strictObject({ items: z.array(builtInTask) }) },
    },
    errors: [],
    summary: 'List what the server brings along for tasks to run.',
  },

  createTask: {
    ...writes,
    sdk: 'tasks.create',
    method: 'POST',
    path: '/api/admin/tasks',
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: newTask,
    responses: { 201: { description: 'The task.', body: task } },
    errors: [
      'task_exists',
      'too_many_tasks',
      'invalid_schedule',
      'endpoint_not_found',
      'user_not_found',
      ...CHANGE_ERRORS,
    ],
    summary: 'Make a task: an endpoint, or what is built in, and when it runs.',
  },

  checkTaskSchedule: {
    ...reads,
    sdk: 'tasks.checkSchedule',
    method: 'POST',
    path: '/api/admin/tasks/check',
    body: scheduleCheck,
    responses: { 200: { description: 'When it would run.', body: checkedSchedule } },
    errors: ['invalid_schedule'],
    summary: 'Tell in words, and by the next times, what a cron expression means.',
  },

  getTask: {
    ...reads,
    sdk: 'tasks.get',
    method: 'GET',
    path: '/api/admin/tasks/{name}',
    params: taskInPath,
    responses: { 200: { description: 'The task.', body: task } },
    errors: ['task_not_found'],
    summary: 'Read a task, with when it runs next and how it ran last.',
  },

  putTask: {
    ...writes,
    sdk: 'tasks.put',
    method: 'PUT',
    path: '/api/admin/tasks/{name}',
    params: taskInPath,
    bodyBytesMax: JSON_BODY_BYTES_MAX,
    body: taskChange,
    responses: { 200: { description: 'The task after the change.', body: task } },
    errors: [
      'task_not_found',
      'task_in_code',
      'invalid_schedule',
      'endpoint_not_found',
      'user_not_found',
      ...CHANGE_ERRORS,
    ],
    summary: 'Change a task; what is left out stays as it is.',
  },

  deleteTask: {
    ...writes,
    sdk: 'tasks.delete',
    method: 'DELETE',
    path: '/api/admin/tasks/{name}',
    params: taskInPath,
    responses: { 204: { description: 'It is gone, and so is the log of its runs.' } },
    errors: ['task_not_found', 'task_in_code', 'task_running', ...CHANGE_ERRORS],
    summary: 'Delete a task that is not running.',
  },

  runTask: {
    ...writes,
    sdk: 'tasks.run',
    method: 'POST',
    path: '/api/admin/tasks/{name}/run',
    params: taskInPath,
    responses: { 202: { description: 'The job of the run, which goes on.', body: jobWithLog } },
    errors: ['task_not_found', 'task_running', ...STORE_ERRORS],
    summary: 'Run a task now, enabled or not.',
  },

  enableTask: {
    ...writes,
    sdk: 'tasks.enable',
    method: 'POST',
    path: '/api/admin/tasks/{name}/enable',
    params: taskInPath,
    responses: { 200: { description: 'The task, which is enabled.', body: task } },
    errors: ['task_not_found', ...CHANGE_ERRORS],
    summary: 'Let a task run by its schedule, from now on.',
  },

  disableTask: {
    ...writes,
    sdk: 'tasks.disable',
    method: 'POST',
    path: '/api/admin/tasks/{name}/disable',
    params: taskInPath,
    responses: { 200: { description: 'The task, which is not enabled.', body: task } },
    errors: ['task_not_found', ...CHANGE_ERRORS],
    summary: 'Keep a task from running by its schedule; a run that is under way goes on.',
  },

  listTaskRuns: {
    ...reads,
    sdk: 'tasks.listRuns',
    method: 'GET',
    path: '/api/admin/tasks/{name}/log',
    params: taskInPath,
    query: pageQuery,
    responses: { 200: { description: 'Runs, the newest first.', body: listOf(taskRun) } },
    errors: ['task_not_found'],
    summary: 'List the last runs of a task, with how they ended and what they logged.',
  },
} as const satisfies Rows);
