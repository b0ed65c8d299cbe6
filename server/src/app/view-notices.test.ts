import { VIEW_NOTICE_INTERVAL_MS } from '#base/limits.ts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ViewNotices } from './view-notices.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function start() {
  const told: string[] = [];
  const views = new ViewNotices();
  views.tellBy((view, owner) => told.push(owner === undefined ? view : `${view} of ${owner}`));
  return { told, views };
}

it('tells the first change at once, and of those after it once in a while', () => {
  const { told, views } = start();
  for (let i = 0; i < 3; i++) views.changed('webhooks');
  views.changed('members');
  expect(told).toEqual(['webhooks', 'members']);
  vi.advanceTimersByTime(VIEW_NOTICE_INTERVAL_MS);
  expect(told).toEqual(['webhooks', 'members', 'webhooks']);
  vi.advanceTimersByTime(10 * VIEW_NOTICE_INTERVAL_MS);
  expect(told).toHaveLength(3);
  views.changed('members');
  expect(told.at(-1)).toBe('members');
});

it('tells each owner of their own changes', () => {
  const { told, views } = start();
  for (const owner of ['ann', 'bob', 'ann']) views.changed('agent-runs', owner);
  expect(told).toEqual(['agent-runs of ann', 'agent-runs of bob']);
  vi.advanceTimersByTime(VIEW_NOTICE_INTERVAL_MS);
  expect(told.slice(2)).toEqual(['agent-runs of ann']);
});

it('tells nothing once it is over', () => {
  const { told, views } = start();
  views.changed('webhooks');
  views.changed('webhooks');
  views[Symbol.dispose]();
  views.changed('replicas');
  vi.advanceTimersByTime(10 * VIEW_NOTICE_INTERVAL_MS);
  expect(told).toEqual(['webhooks']);
});
