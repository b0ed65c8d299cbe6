import { expect, it } from 'vitest';
import { AGENT_TRANSCRIPT_CHARACTERS_MAX } from '#base/assistant-limits.ts';
import { Transcript } from './agent-run-store.ts';

const call = (output: unknown) => ({ tool: 'lookup', input: {}, output, ms: 1 });

it('has what was said and called in its order', () => {
  const transcript = new Transcript();
  transcript.ask('What?');
  for (const text of ['Let ', 'me see.']) transcript.see({ kind: 'text', text });
  expect(transcript.answer).toBe('Let me see.');
  transcript.see({ kind: 'tool-call', id: '1', tool: 'lookup', input: {} });
  transcript.see({ kind: 'tool-result', id: '1', call: call('x') });
  expect(transcript.answer).toBe('');
  transcript.see({ kind: 'text', text: '\n\nThis.' });
  expect(transcript.entries).toEqual([
    { role: 'user', text: 'What?' },
    { role: 'assistant', text: 'Let me see.' },
    { role: 'tool', ...call('x') },
    { role: 'assistant', text: 'This.' },
  ]);
  expect([transcript.answer, JSON.parse(transcript.toText())]).toEqual([
    'This.',
    transcript.entries,
  ]);
});

it('keeps what came last of what is too long', () => {
  const transcript = new Transcript();
  const large = 'x'.repeat(AGENT_TRANSCRIPT_CHARACTERS_MAX - 200);
  for (const output of [large, large]) {
    transcript.see({ kind: 'tool-result', id: '1', call: call(output) });
  }
  transcript.see({ kind: 'text', text: 'This.' });
  expect(JSON.parse(transcript.toText())).toEqual([
    { role: 'tool', tool: 'lookup', input: {}, ms: 1 },
    { role: 'tool', ...call(large) },
    { role: 'assistant', text: 'This.' },
  ]);
});
