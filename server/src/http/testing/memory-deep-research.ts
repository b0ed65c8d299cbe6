import type { HttpServices } from '../services.ts';

const AT = '2026-11-20T00:00:00.000Z';
const JOB = {
  id: '1',
  kind: 'deep-research',
  state: 'running',
  progress: 0.1,
  step: 'Planning',
  isCancellable: true,
  startedAt: AT,
  endedAt: null,
} as const;

/** One research, which is under way. */
export function memoryDeepResearch(): HttpServices['deepResearch'] {
  const limits = {
    queued: 20,
    running: 2,
    runsPerUser: 2,
    steps: 60,
    tokens: 500_000,
    minutes: 15,
  };
  const run = {
    chatUID: '1111111111111111111112',
    jobId: JOB.id,
    user: { uid: '1111111111111111111111', name: 'ada' },
    startedAt: AT,
    step: JOB.step,
  };
  const settings = {
    limits,
    defaults: limits,
    researchers: [{ name: 'Facts', instructions: 'Find facts.' }],
    running: [run],
    queued: [],
  };
  return {
    start: async () => ({ ...JOB, log: [] }),
    get: () => ({ ...JOB, log: [] }),
    cancel: () => JOB,
    settings: () => settings,
    putSettings: async () => settings,
  };
}
