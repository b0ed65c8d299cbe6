import { expect, it } from 'vitest';
import { withCacheKey } from './openai-cache.ts';

const OPENAI = 'https://api.openai.com/v1';
const TOOLS = [{ type: 'function', function: { name: 'find', parameters: {} } }];
const SYSTEM = { role: 'system', content: 'Look things up.' };
const ASKED = { role: 'user', content: 'How old is Lea?' };
const step = (...more: readonly object[]) => ({
  model: 'large',
  tools: TOOLS,
  messages: [SYSTEM, ASKED, ...more],
});
const keyOf = (request: object, baseUrl = OPENAI) =>
  withCacheKey(request as Record<string, unknown>, baseUrl)['prompt_cache_key'];

it('is one key for all steps of a run, and another for another run', () => {
  const key = keyOf(step());
  expect(key).toMatch(/^[\w-]{43}$/);
  expect(keyOf(step({ role: 'assistant', content: 'Let me see.' }))).toBe(key);
  expect(keyOf({ ...step(), messages: [SYSTEM, { role: 'user', content: 'Who?' }] })).not.toBe(key);
  expect(keyOf({ ...step(), tools: [...TOOLS, ...TOOLS] })).not.toBe(key);
});

it('goes to OpenAI alone, which knows it', () => {
  expect(keyOf(step(), 'https://eu.api.openai.com/v1')).toBe(keyOf(step()));
  for (const other of [
    'https://api.mistral.ai/v1',
    'https://api.openai.com.example.com/v1',
    'https://notapi.openai.com/v1',
    'http://127.0.0.1:8000/v1',
  ]) {
    expect(withCacheKey(step(), other)).toEqual(step());
  }
});

it('is not there where no next step is to come', () => {
  const { tools: _, ...alone } = step();
  expect(withCacheKey(alone, OPENAI)).toEqual(alone);
});
