import { describe, expect, it } from 'vitest';
import { ProgressBar } from './progress-bar.ts';

function drawOn(terminal: { isTTY?: boolean; columns?: number }) {
  const written: string[] = [];
  let time = 0;
  const target = { ...terminal, write: (text: string) => written.push(text) };
  const bar = new ProgressBar(target, 'Importing', () => time);
  const at = (seconds: number, share: number | undefined, done: number) => {
    time = seconds * 1_000;
    bar.update({ share, done });
  };
  return { bar, at, written };
}

describe('on a terminal', () => {
  it('draws one line again and again, with rate and time left', () => {
    const { bar, at, written } = drawOn({ isTTY: true, columns: 120 });
    at(0, 0, 0);
    at(10, 0.25, 50_000);
    bar.clear();
    expect(written).toEqual([
      '\r\u001b[KImporting  [░░░░░░░░░░░░░░░░░░░░░░░░]    0 %  0 operations',
      '\r\u001b[KImporting  [██████░░░░░░░░░░░░░░░░░░]   25 %  50,000 operations  5,000/s  00:30 left',
      '\r\u001b[K',
    ]);
  });

  it('counts from where this run began', () => {
    const { at, written } = drawOn({ isTTY: true, columns: 120 });
    at(0, 0.5, 100_000);
    at(10, 0.6, 120_000);
    expect(written.at(-1)).toContain('120,000 operations  2,000/s  00:40 left');
  });

  it('says only what it knows of an input without an end', () => {
    const { at, written } = drawOn({ isTTY: true, columns: 120 });
    at(0, undefined, 0);
    at(2, undefined, 1_000);
    expect(written.at(-1)).toBe('\r\u001b[KImporting  1,000 operations  500/s');
  });

  it('never breaks the line', () => {
    const { at, written } = drawOn({ isTTY: true, columns: 30 });
    at(1, 0.5, 1_000_000);
    expect(written[0]?.replace('\r\u001b[K', '')).toHaveLength(29);
  });
});

describe('elsewhere', () => {
  it('writes a line every five seconds', () => {
    const { bar, at, written } = drawOn({});
    for (const second of [0, 1, 4.9, 5, 6, 9.9, 3_700]) at(second, second / 10_000, second * 10);
    bar.clear();
    expect(written).toHaveLength(2);
    expect(written[0]).toMatch(/^Importing .* 50 operations +10\/s +2:46:35 left\n$/);
  });
});
