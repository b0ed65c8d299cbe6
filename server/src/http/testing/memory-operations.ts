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
    list: ({ skip, take }) => ({ items: [job], total: 1, skip, take }),
    get: () => ({ ...job, log: [line] }),
    cancel: () => job,
    async *watch() {
      yield { job, lines: [{ ...line, revision: 1 }], revision: 2 };
    },
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
