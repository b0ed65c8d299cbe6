import {
  REPLICA_IDLE_REPORT_INTERVAL_MS,
  REPLICA_REPORT_INTERVAL_MS,
} from '#base/replication-limits.ts';
import { describe, expect, it } from 'vitest';
import { startReports } from './replica-channel.ts';
import { ManualTimers } from './testing/cluster.ts';

function start(appliedSequence: number) {
  const timers = new ManualTimers();
  const sent: number[] = [];
  const stream = { isFree: true };
  const send = (sequence: number): boolean => {
    if (stream.isFree) sent.push(sequence);
    return stream.isFree;
  };
  const reports = startReports({ send }, appliedSequence, timers);
  return { timers, sent, stream, reports };
}

describe('the reports of a replica', () => {
  it('begin at once, come every 250 ms while something is received, and once more after that', () => {
    const { timers, sent, reports } = start(5);
    expect([...timers.running].map(({ intervalMs }) => intervalMs)).toEqual([250]);
    expect(sent).toEqual([5]);
    timers.fire();
    expect(sent).toEqual([5]);
    reports.applied(6);
    reports.applied(8);
    expect(sent).toEqual([5]);
    timers.fire();
    expect(sent).toEqual([5, 8]);
    reports.applied(9);
    timers.fire();
    timers.fire();
    expect(sent).toEqual([5, 8, 9, 9]);
    timers.fire();
    timers.fire();
    expect(sent).toEqual([5, 8, 9, 9]);
  });

  it('come every 30 seconds while nothing is received', () => {
    const { timers, sent } = start(5);
    const ticks = REPLICA_IDLE_REPORT_INTERVAL_MS / REPLICA_REPORT_INTERVAL_MS;
    for (let i = 1; i < ticks; i++) timers.fire();
    expect(sent).toEqual([5]);
    timers.fire();
    expect(sent).toEqual([5, 5]);
    for (let i = 0; i < ticks; i++) timers.fire();
    expect(sent).toEqual([5, 5, 5]);
  });

  it('that found no room are made up for as soon as there is some', () => {
    const { timers, sent, stream, reports } = start(5);
    reports.applied(6);
    stream.isFree = false;
    timers.fire();
    timers.fire();
    timers.fire();
    expect(sent).toEqual([5]);
    stream.isFree = true;
    timers.fire();
    timers.fire();
    expect(sent).toEqual([5, 6]);
  });

  it('end when they are disposed of', () => {
    const { timers, reports } = start(5);
    reports[Symbol.dispose]();
    expect(timers.running.size).toBe(0);
  });
});
