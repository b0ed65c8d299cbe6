import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  LLM_FILE_TOKENS_MAX,
  LLM_PICTURE_TOKENS_MAX,
  LLM_TOOLS_TOKENS_MAX,
} from '#base/assistant-limits.ts';
import { inputTokensMax } from './input-bound.ts';

const said = (...content: object[]) => ({ messages: [{ role: 'user', content }] });
const bytes = (request: object) => Buffer.byteLength(JSON.stringify(request));

test('a text has no more tokens than bytes, in whichever script', () => {
  expect(inputTokensMax({ messages: [{ role: 'user', content: 'Hi' }] })).toBe(45);
  // A byte each is the worst case of byte-level tokenizers, for letters that they do not know.
  const content = '𒀀'.repeat(1_000);
  expect(inputTokensMax({ messages: [{ content }] })).toBeGreaterThanOrEqual(4_000);
  const withTools = { ...said(), tools: [] };
  expect(inputTokensMax(withTools)).toBe(bytes(withTools) + LLM_TOOLS_TOKENS_MAX);
});

test('a picture counts as one, not by the bytes of its data, in both protocols', () => {
  const data = 'A'.repeat(1_000_000);
  const ofAnthropic = (inline: string) => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: inline },
  });
  const inResult = (inline: string) => ({ type: 'tool_result', content: [ofAnthropic(inline)] });
  const ofOpenAi = (url: string) => ({ type: 'image_url', image_url: { url } });
  const rows = [
    [ofAnthropic(data), ofAnthropic('')],
    [inResult(data), inResult('')],
    [ofOpenAi(`data:image/png;base64,${data}`), ofOpenAi('')],
    [ofOpenAi('https://example.com/a.png'), ofOpenAi('https://example.com/a.png')],
  ] as const;
  for (const [picture, rest] of rows) {
    expect(inputTokensMax(said(picture))).toBe(bytes(said(rest)) + LLM_PICTURE_TOKENS_MAX);
  }
});

test('a file counts with its bytes and with its pages', () => {
  const file = said({
    type: 'document',
    source: { type: 'url', url: 'https://example.com/a.pdf' },
  });
  expect(inputTokensMax(file)).toBe(bytes(file) + LLM_FILE_TOKENS_MAX);
});

test('what only looks like a picture counts by its bytes', () => {
  const text = 'x'.repeat(100_000);
  const hidden = [
    said({ type: 'text', text: JSON.stringify({ type: 'image', source: { data: text } }) }),
    said({ type: 'tool_use', input: { type: 'image', source: { type: 'base64', data: text } } }),
    said({ type: 'image_url', image_url: { url: text } }),
    said({ type: 'image', source: { type: 'text', data: text } }),
    { system: [{ type: 'image', source: { type: 'base64', data: text } }] },
  ];
  for (const request of hidden) {
    expect(inputTokensMax(request)).toBeGreaterThanOrEqual(bytes(request));
  }
});

test('whatever the body, there is a bound', () => {
  const key = fc.constantFrom('messages', 'tools', 'other');
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue()), (body) => {
      expect(inputTokensMax(body)).toBeGreaterThan(0);
    }),
  );
});
