import type { HttpServices } from '../services.ts';

const AT = '2026-11-20T00:00:00.000Z';
const AGENT = {
  UID: '1111111111111111111112',
  name: 'reader',
  description: 'Reads.',
  model: null,
  access: 'users',
  updatedAt: AT,
} as const;
const DEFINITION = {
  ...AGENT,
  instructions: 'Read ${WHAT}.',
  tools: [],
  outputSchema: null,
  limits: { steps: 1, toolCalls: 0, tokens: 1_000, seconds: 1 },
};
const RUN = {
  UID: '1111111111111111111113',
  agent: AGENT.name,
  user: '1111111111111111111111',
  status: 'Completed',
  message: 'Hello',
  variables: {},
  result: 'Hello to you.',
  error: null,
  startedAt: AT,
  endedAt: AT,
  usage: { inputTokens: 1, outputTokens: 1 },
} as const;
const RUN_WITH_TRANSCRIPT = { ...RUN, transcript: [{ role: 'user', text: 'Hello' }] } as const;

/** One agent. */
export function memoryAgents(): HttpServices['agents'] {
  return {
    list: (_caller, page) => ({ items: [{ ...AGENT, variables: ['WHAT'] }], total: 1, ...page }),
    create: async () => DEFINITION,
    get: () => DEFINITION,
    put: async () => DEFINITION,
    delete: async () => {},
  };
}

/** One run of it. */
export function memoryAgentRuns(): HttpServices['agentRuns'] {
  return {
    run: async () => RUN_WITH_TRANSCRIPT,
    start: async () => ({ ...RUN_WITH_TRANSCRIPT, status: 'Running', endedAt: null }),
    list: (_caller, { skip, take }) => ({ items: [RUN], total: 1, skip, take }),
    get: () => RUN_WITH_TRANSCRIPT,
    cancel: async () => RUN_WITH_TRANSCRIPT,
  };
}
