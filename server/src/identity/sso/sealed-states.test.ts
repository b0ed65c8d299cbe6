import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SSO_USED_STATES_MAX } from '#base/limits.ts';
import { SealedStates } from './sealed-states.ts';

const LIFETIME_MS = 1_000;

function statesAt(clock: { ms: number }, options: { purpose?: string; secret?: string } = {}) {
  return new SealedStates<{ readonly text: string }>({
    secret: 'a secret of the server',
    purpose: 'test',
    lifetimeMs: LIFETIME_MS,
    clock: { now: () => clock.ms },
    ...options,
  });
}

describe('a sealed state', () => {
  test('is opened as it was sealed, and tells nothing on the way', () => {
    const states = statesAt({ ms: 0 });
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), (text) => {
        const sealed = states.seal({ text });
        expect(states.open(sealed)?.state).toEqual({ text });
        expect(sealed).toMatch(/^[\w-]+$/);
        expect(Buffer.from(sealed, 'base64url').includes(text)).toBe(false);
      }),
    );
  });

  test('with any bit changed is none', () => {
    const states = statesAt({ ms: 0 });
    const bytes = Buffer.from(states.seal({ text: 'x' }), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(states.open(changed.toString('base64url')), `bit ${bit}`).toBeUndefined();
    }
  });

  test.each(['', 'x', 'A'.repeat(37), 'A'.repeat(38), 'A'.repeat(500), '%', '\0'])(
    '%j is none',
    (text) => expect(statesAt({ ms: 0 }).open(text)).toBeUndefined(),
  );

  test('ends to the millisecond', () => {
    const clock = { ms: 5 };
    const states = statesAt(clock);
    const sealed = states.seal({ text: 'x' });
    clock.ms = 5 + LIFETIME_MS - 1;
    expect(states.open(sealed)).toBeDefined();
    clock.ms++;
    expect(states.open(sealed)).toBeUndefined();
  });

  test('of another purpose or secret is none, of another process it is', () => {
    const sealed = statesAt({ ms: 0 }).seal({ text: 'x' });
    expect(statesAt({ ms: 0 }, { purpose: 'other' }).open(sealed)).toBeUndefined();
    expect(statesAt({ ms: 0 }, { secret: 'other' }).open(sealed)).toBeUndefined();
    expect(statesAt({ ms: 0 }).open(sealed)?.state).toEqual({ text: 'x' });
  });

  test('is used once', () => {
    const states = statesAt({ ms: 0 });
    const sealed = states.seal({ text: 'x' });
    expect(states.open(sealed)?.use()).toBe(true);
    expect(states.open(sealed)?.use()).toBe(false);
    // The same bytes in another spelling.
    expect(states.open(` ${sealed}=`)?.use()).toBe(false);
  });

  test('is remembered as used while it lasts, up to a limit', () => {
    const states = statesAt({ ms: 0 });
    const first = states.seal({ text: 'first' });
    states.open(first)?.use();
    for (let i = 1; i < SSO_USED_STATES_MAX; i++) states.open(states.seal({ text: '' }))?.use();
    expect(states.open(first)?.use()).toBe(false);
    states.open(states.seal({ text: '' }))?.use();
    expect(states.open(first)?.use()).toBe(true);
  });
});
