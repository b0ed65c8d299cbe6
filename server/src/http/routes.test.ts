import { describe, expect, it } from 'vitest';
import * as limits from '#base/limits.ts';
import * as adminAgentLimits from '#base/admin-agent-limits.ts';
import * as fileLimits from '#base/file-limits.ts';
import * as agentLimits from '#base/agent-limits.ts';
import * as assistantLimits from '#base/assistant-limits.ts';
import * as llmLimits from '#base/llm-limits.ts';
import * as operationsLimits from '#base/operations-limits.ts';
import * as searchLimits from '#base/search-limits.ts';
import * as signInLimits from '#base/sign-in-limits.ts';
import * as taskLimits from '#base/task-limits.ts';
import * as contractLimits from '@trellis/contract/limits.ts';
import { operations } from '@trellis/contract/operations.ts';
import { routes } from './routes.ts';
import { SAMPLE_REQUESTS } from './testing/sample-requests.ts';

describe('the contract and its routes', () => {
  it('are the same operations, in the same order', () => {
    expect(routes.map((route) => route.operation)).toEqual(operations);
  });

  it('have one sample request for each operation', () => {
    expect(Object.keys(SAMPLE_REQUESTS).toSorted()).toEqual(
      operations.map(({ id }) => id).toSorted(),
    );
  });

  it('agree on every limit', () => {
    const all = {
      ...limits,
      ...adminAgentLimits,
      ...agentLimits,
      ...assistantLimits,
      ...fileLimits,
      ...llmLimits,
      ...operationsLimits,
      ...searchLimits,
      ...signInLimits,
      ...taskLimits,
    };
    expect(all).toMatchObject({ ...contractLimits });
  });
});
