import { beforeEach, describe, expect, it } from 'vitest';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { problemOf } from '#graph/testing/test-graph.ts';
import type { LlmCall } from '../router/llm-call.ts';
import { EndpointModels } from './endpoint-models.ts';
import type { ModelRequest } from './model-run.ts';

const { signal } = new AbortController();
const ASKER = {
  caller: { ...ADMINISTRATOR, userUid: '1111111111111111111111' },
  headers: '{}',
  authorization: 'Bearer t',
  isReadOnly: true,
  agentDepth: 2,
  signal,
};
const REQUESTS = {
  complete: { prompt: 'Hello' },
  embed: { texts: ['a', 'b'] },
  runAgent: { name: 'reader', message: 'Read.', variables: { A: '' } },
} as const;
const METHODS = ['complete', 'embed', 'runAgent'] as const;
const UNUSED = { inputTokens: 0, outputTokens: 0 };
const RUN = {
  UID: 'u',
  status: 'Completed',
  result: { a: 1 },
  error: null,
  usage: UNUSED,
  agent: 'reader',
  user: '1111111111111111111111',
  message: 'Read.',
  variables: {},
  startedAt: '',
  endedAt: '',
  citations: [],
  support: [],
  supportRate: null,
  supportJudge: null,
  transcript: [],
} as const;

let asked: unknown[];
let vectors: unknown;
beforeEach(() => {
  asked = [];
  vectors = [
    { index: 1, embedding: [2] },
    { index: 0, embedding: [1] },
  ];
});

function open(isReplica = false): EndpointModels {
  return new EndpointModels({
    models: {
      run: async (request: ModelRequest) => {
        asked.push(request);
        return { text: 'Hi.', toolCalls: [], usage: UNUSED, model: 'm', ended: 'steps' };
      },
    },
    router: {
      embeddings: async ({ body }: LlmCall) => {
        asked.push(body);
        return { json: JSON.stringify({ data: vectors }) };
      },
    },
    admission: { embeddings: () => ({ target: { baseUrl: '', apiKey: null }, model: 'v' }) },
    agentRuns: {
      run: async (...given) => {
        asked.push(given);
        return RUN;
      },
    },
    isReplica,
  });
}

describe('what endpoints ask', () => {
  it('is asked once, without tools', async () => {
    const answer = { text: 'Hi.', model: 'm', ended: 'answer', usage: UNUSED };
    expect(await open().complete(REQUESTS.complete, ASKER)).toEqual(answer);
    expect(asked).toMatchObject([
      { messages: [{ role: 'user', text: 'Hello' }], tools: [], limits: { stepsMax: 1 }, signal },
    ]);
  });

  it('has a vector for each text, in their order', async () => {
    expect(await open().embed(REQUESTS.embed, ASKER)).toEqual([[1], [2]]);
    expect(asked).toEqual([{ model: 'v', input: ['a', 'b'], encoding_format: 'float' }]);
    for (const wrong of [[{ index: 0, embedding: [1] }], 'none', [{}, {}]]) {
      vectors = wrong;
      const problem = await problemOf(() => open().embed(REQUESTS.embed, ASKER));
      expect(problem.code).toBe('llm_misconfigured');
    }
  });

  it('runs agents no deeper and with no more rights than the code has', async () => {
    expect(await open().runAgent(REQUESTS.runAgent, ASKER)).toEqual({
      UID: 'u',
      status: 'Completed',
      result: { a: 1 },
      error: null,
      usage: UNUSED,
      citations: [],
      support: [],
      supportRate: null,
      supportJudge: null,
    });
    const origin = { headers: '{}', authorization: 'Bearer t', isReadOnly: true, depth: 2, signal };
    const { name, ...request } = REQUESTS.runAgent;
    expect(asked).toEqual([[ASKER.caller, name, request, { address: null, ...origin }]]);
  });

  it.each(METHODS)('is not asked on a replica, nor for nobody: %s', async (method) => {
    const onReplica = await problemOf(() => open(true)[method](REQUESTS[method], ASKER));
    expect(onReplica.code).toBe('read_only_replica');
    const asker = { ...ASKER, caller: ADMINISTRATOR };
    expect(ADMINISTRATOR.userUid).toBeNull();
    const forNobody = await problemOf(() => open()[method](REQUESTS[method], asker));
    expect(forNobody.code).toBe('ai_needs_user');
    const wrong = await problemOf(() => open()[method]({ other: 1 }, ASKER));
    expect(wrong.code).toBe('invalid_request');
    expect(asked).toEqual([]);
  });
});
