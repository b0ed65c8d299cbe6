import type { HttpServices } from '../services.ts';

const AT = '2026-11-20T00:00:00.000Z';

export function memoryLicense(): HttpServices['license'] {
  return { report: () => ({ licensed: false, features: [], valid: false }) };
}

/** One job, which has ended; whoever watches it is told so once. */
export function memoryJobs(): HttpServices['jobs'] {
  const job = {
    id: '1',
    kind: 'index-rebuild',
    state: 'succeeded',
    progress: 1,
    step: 'Indexing Word',
    isCancellable: false,
    startedAt: AT,
    endedAt: AT,
  } as const;
  const line = { at: AT, text: 'begun' };
  return {
    list: (_caller, { skip, take }) => ({ items: [job], total: 1, skip, take }),
    get: () => ({ ...job, log: [line] }),
    cancel: () => job,
    async *watch() {
      yield { job, lines: [{ ...line, revision: 1 }], revision: 2 };
    },
  };
}

/** One backup, of which nothing is done but what is asked for. */
export function memoryBackups(): HttpServices['backups'] {
  const backup = {
    id: '20261120T000000000Z-00000000',
    createdAt: AT,
    completedAt: AT,
    sequence: 7,
    epoch: '0'.repeat(32),
    version: '26.11.0',
    isEncrypted: false,
    nodes: 2,
    edges: 1,
    bytes: 300,
    newBytes: 300,
    hasLog: false,
  };
  const job = {
    id: '2',
    kind: 'backup',
    state: 'running',
    progress: 0,
    step: 'Looking at what there is',
    isCancellable: true,
    startedAt: AT,
    endedAt: null,
    log: [],
  } as const;
  return {
    list: async ({ skip, take }) => ({ items: [backup], total: 1, skip, take, target: '/backups' }),
    run: () => job,
    verify: async () => ({ ...job, kind: 'backup-verification' }),
    remove: async () => undefined,
  };
}

/** One record; whoever watches is given it once, and that is all. */
export function memoryLogs(): HttpServices['logs'] {
  const record = { at: AT, level: 'warn', message: 'the disk is full', fields: {} } as const;
  return {
    files: () => ({
      source: 'files',
      items: [{ name: 'trellis-2026-11-20.log', sizeBytes: 1, from: AT, to: AT }],
    }),
    search: ({ skip, take }) => ({
      source: 'files',
      isComplete: true,
      items: [record],
      total: 1,
      skip,
      take,
    }),
    async *watch() {
      yield { lines: [{ sequence: 7, ...record }], dropped: 0, sequence: 7 };
    },
    async *download() {
      yield `${JSON.stringify(record)}\n`;
    },
  };
}
