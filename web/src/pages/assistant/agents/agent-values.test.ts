import { variablesIn } from '@trellis/contract/agent-variables.ts';
import { describe, expect, test } from 'vitest';
import { agentOf, agentValuesOf, NEW_AGENT, schemaProblem } from './agent-values.ts';

const AGENT = {
  UID: 'u',
  name: 'summary',
  description: '',
  model: null,
  instructions: 'Write in ${LANGUAGE:-English} for ${READER}, ${READER}.',
  tools: ['search'],
  outputSchema: { type: 'object' },
  access: 'users',
  limits: { steps: 3, toolCalls: 0, tokens: 100, seconds: 10 },
  updatedAt: '2026-01-01T00:00:00.000Z',
} as const;

describe('an agent in its form', () => {
  test('comes out as it went in', () => {
    const { UID: _uid, updatedAt: _at, ...settings } = AGENT;
    expect(agentOf(agentValuesOf(AGENT))).toEqual(settings);
  });

  test('of a new one, what is left blank is left to the server', () => {
    expect(agentOf({ ...NEW_AGENT, name: 'a', steps: 4 })).toMatchObject({
      model: null,
      outputSchema: null,
      limits: { steps: 4 },
    });
  });

  test.each([
    ['', undefined],
    ['{"type":"object"}', undefined],
    ['[]', 'Enter a JSON Schema, which is an object.'],
    ['{', expect.stringContaining('not JSON')],
  ])('%s as a schema', (text, problem) => {
    expect(schemaProblem(text)).toEqual(problem);
  });

  test('variables are named once', () => {
    expect(variablesIn(AGENT.instructions)).toEqual(['LANGUAGE', 'READER']);
  });
});
