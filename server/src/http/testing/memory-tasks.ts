import type { HttpServices } from '../services.ts';

const AT = '2026-11-20T00:00:00.000Z';
const RUN = {
  id: '1',
  task: 'nightly',
  state: 'succeeded',
  trigger: 'schedule',
  dueAt: AT,
  startedAt: AT,
  endedAt: AT,
  result: '1',
  error: null,
  log: [],
  times: 1,
} as const;
const TASK = {
  UID: '1111111111111111111114',
  name: 'nightly',
  cron: '0 3 * * *',
  timeZone: 'UTC',
  endpoint: 'words/lookup',
  builtIn: null,
  body: null,
  actingUser: null,
  enabled: true,
  whenMissed: 'run',
  description: 'At 03:00',
  nextRunAt: AT,
  nextRunAts: [AT],
  jobId: null,
  lastRun: RUN,
  updatedAt: AT,
} as const;
const JOB = {
  id: '2',
  kind: 'task',
  state: 'running',
  progress: 0,
  step: 'nightly: Runs words/lookup',
  isCancellable: true,
  startedAt: AT,
  endedAt: null,
  log: [],
} as const;

/** One task, which ran once. */
export function memoryTasks(): HttpServices['tasks'] {
  return {
    list: (_caller, { skip, take }) => ({ items: [TASK], total: 1, skip, take }),
    builtIns: () => ({ items: [{ name: 'tidy', description: 'Tidies up.' }] }),
    check: () => ({
      cron: TASK.cron,
      timeZone: 'UTC',
      description: TASK.description,
      nextRunAt: AT,
      nextRunAts: [AT],
    }),
    get: () => TASK,
    create: async () => TASK,
    put: async () => TASK,
    setEnabled: async () => TASK,
    delete: async () => {},
    run: async () => JOB,
    runs: (_caller, _name, { skip, take }) => ({ items: [RUN], total: 1, skip, take }),
  };
}

const MIGRATION = {
  UID: '1111111111111111111115',
  name: '001',
  code: 'export default () => 1;',
  runOnStartup: true,
  status: 'pending',
  version: 1,
  compiles: true,
  diagnostics: [],
  ranVersion: null,
  jobId: null,
  startedAt: null,
  endedAt: null,
  error: null,
  log: [],
  updatedAt: AT,
} as const;
const MIGRATION_JOB = {
  id: '3',
  kind: 'migration',
  state: 'running',
  progress: 0,
  step: '001',
  isCancellable: true,
  startedAt: AT,
  endedAt: null,
  log: [],
} as const;

/** One migration, which has not run. */
export function memoryMigrations(): HttpServices['migrations'] {
  return {
    list: (_caller, { skip, take }) => ({ items: [MIGRATION], total: 1, skip, take }),
    get: () => MIGRATION,
    create: async () => MIGRATION,
    put: async () => MIGRATION,
    delete: async () => {},
    run: async () => MIGRATION_JOB,
    cancel: async () => MIGRATION,
    reset: async () => ({ reset: [MIGRATION.name] }),
  };
}
