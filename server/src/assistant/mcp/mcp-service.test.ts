import { describe, expect, it } from 'vitest';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { MCP_CALLS_PER_CALLER_MAX } from '#base/limits.ts';
import { RunningCalls } from './mcp-service.ts';

const ada = { ...ADMINISTRATOR, userUid: 'ada', tokenId: 'a' };
const bob = { ...ADMINISTRATOR, userUid: 'bob', tokenId: 'b' };
const request = { caller: ada, session: 's', id: 1 } as const;

describe('a call under way', () => {
  it.each([
    ['the same request', request, true],
    ['another caller', { ...request, caller: bob }, false],
    ['another session', { ...request, session: 't' }, false],
    ['another id', { ...request, id: 2 }, false],
    ['the id as a text', { ...request, id: '1' }, false],
    ['no session', { ...request, session: null }, false],
  ])('is cancelled by %s: %j', (_what, notice, isCancelled) => {
    const calls = new RunningCalls();
    const controller = new AbortController();
    using _call = calls.begin(request, controller);
    calls.cancel(notice);
    expect(controller.signal.aborted).toBe(isCancelled);
  });

  it('without a session is cancelled by nobody', () => {
    const calls = new RunningCalls();
    const controller = new AbortController();
    using _call = calls.begin({ ...request, session: null }, controller);
    calls.cancel({ ...request, session: null });
    expect(controller.signal.aborted).toBe(false);
  });

  it('is not looked for once it is over', () => {
    const calls = new RunningCalls();
    const controller = new AbortController();
    calls.begin(request, controller)[Symbol.dispose]();
    calls.cancel(request);
    expect(controller.signal.aborted).toBe(false);
  });
});

it('a caller has so many calls under way, and others have theirs', () => {
  const calls = new RunningCalls();
  const begin = (caller: typeof ada, id: number) =>
    calls.begin({ caller, session: null, id }, new AbortController());
  const open = Array.from({ length: MCP_CALLS_PER_CALLER_MAX }, (_, id) => begin(ada, id));
  expect(() => begin(ada, 99)).toThrow('under way');
  begin(bob, 0)[Symbol.dispose]();
  open[0]?.[Symbol.dispose]();
  begin(ada, 100)[Symbol.dispose]();
});
