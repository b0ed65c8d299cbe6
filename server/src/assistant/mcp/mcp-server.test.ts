import { MCP_PROGRESS_INTERVAL_MS } from '#base/limits.ts';
import { expect, it } from 'vitest';
import { ProgressNotices } from './mcp-server.ts';

function started() {
  let nowMs = 0;
  const notices = new ProgressNotices(() => nowMs);
  return {
    tell: (fraction: number | null, text: string | null = null) => notices.next({ fraction, text }),
    wait: (ms = MCP_PROGRESS_INTERVAL_MS) => void (nowMs += ms),
  };
}

it('tells the share and the text', () => {
  const { tell, wait } = started();
  expect(tell(null, 'starting')).toEqual({ progress: expect.any(Number), message: 'starting' });
  wait();
  expect(tell(0.5, 'half')).toEqual({ progress: 0.5, total: 1, message: 'half' });
  wait();
  expect(tell(1)).toEqual({ progress: 1, total: 1 });
});

it('rises with every notice, whatever the run says', () => {
  const { tell, wait } = started();
  let last = 0;
  for (const share of [null, 0, 0.4, 0.4, 0.1, null, 0.9]) {
    const { progress = 0 } = tell(share) ?? {};
    expect(progress).toBeGreaterThan(last);
    last = progress;
    wait();
  }
});

it('says no more than anybody reads', () => {
  const { tell, wait } = started();
  expect(tell(0.1)).toBeDefined();
  wait(MCP_PROGRESS_INTERVAL_MS - 1);
  expect(tell(0.2)).toBeUndefined();
  wait(1);
  expect(tell(0.3)).toBeDefined();
});
