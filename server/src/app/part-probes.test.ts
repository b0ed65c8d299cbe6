import { expect, it } from 'vitest';
import { OK } from '#observe/health.ts';
import { primaryProbes, replicaProbes, serviceProbes, stateOfWorkers } from './part-probes.ts';

const IDLE = { wanted: 2, workers: 2, ready: 2, busy: 0, stalled: 0, running: 0, waiting: 0 };

it.each([
  [{ status: 'ok', reason: null }, IDLE],
  [
    { status: 'ok', reason: null },
    { ...IDLE, stalled: 1 },
  ],
  [
    { status: 'degraded', reason: 'workers_stalled' },
    { ...IDLE, stalled: 2 },
  ],
  [
    { status: 'starting', reason: null },
    { ...IDLE, ready: 0 },
  ],
  [
    { status: 'failed', reason: 'no_worker' },
    { ...IDLE, workers: 0, ready: 0 },
  ],
  [
    { status: 'ok', reason: null },
    { ...IDLE, wanted: 0, workers: 0, ready: 0 },
  ],
])('workers are %j with %j', (state, load) => {
  expect(stateOfWorkers(load)).toEqual(state);
});

it('services that are not there yet are starting', async () => {
  const probes = serviceProbes(() => undefined);
  expect(Object.keys(probes).toSorted()).toEqual(['compiler', 'endpoints', 'index', 'models']);
  for (const probe of Object.values(probes)) {
    expect(await probe()).toEqual({ status: 'starting', reason: null });
  }
});

it('a writer that cannot store, log files that are not written and a primary that is away are told', () => {
  const services = (): undefined => undefined;
  const ok = { status: 'ok', reason: null };
  const rest = { services, replication: { condition: () => OK } };
  const well = primaryProbes({ ...rest, writer: { isFailing: false }, areLogsWritten: () => true });
  expect([well.writer?.(), well.logs?.()]).toEqual([ok, ok]);
  const ill = primaryProbes({ ...rest, writer: { isFailing: true }, areLogsWritten: () => false });
  expect([ill.writer?.(), ill.logs?.()]).toEqual([
    { status: 'failed', reason: 'last_write_failed' },
    { status: 'degraded', reason: 'file_not_written' },
  ]);
  const replica = replicaProbes({ services, isJoined: () => false, areLogsWritten: () => true });
  expect(replica.writer).toBeUndefined();
  expect(replica.replication?.()).toEqual({ status: 'degraded', reason: 'primary_not_connected' });
});
