import { expect, it } from 'vitest';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { auditInMemory } from '#access/testing/audit-in-memory.ts';
import { openTestGraph, problemOf } from '#graph/testing/test-graph.ts';
import { TriggerService } from './trigger-service.ts';
import type { SetAsideEvent, TriggerCall } from './trigger.ts';
import { TriggerStore, writeSetAside, writeTrigger } from './trigger-store.ts';

const LINE = { event: 'created', type: 'Ticket', since: 0 } as const;
const AT = '2026-01-01T00:00:00.000Z';
const EVENT: SetAsideEvent = {
  id: 'e1',
  endpoint: 'watch',
  event: 'created',
  type: 'Ticket',
  uid: 'a',
  key: 'a',
  sequence: 3,
  at: AT,
  chain: [],
  body: '{}',
  setAsideAt: AT,
  attempts: 5,
  error: { code: 'endpoint_failed', message: 'no' },
};

it('keeps a change that is set aside when the server stops while it runs again', async () => {
  await using graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  const stored = { endpoint: 'watch', lines: [LINE], position: 5, isPaused: false };
  const trigger = { ...stored, reason: null, missed: null };
  const operations = [writeTrigger(trigger), writeSetAside(EVENT)];
  await graph.writer.commit({ operations, system: true });
  const begun = Promise.withResolvers<TriggerCall>();
  const never = (signal: AbortSignal) =>
    new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
  const service = new TriggerService({
    reader: graph.reader,
    commits: graph.writer,
    clock: graph.clock,
    audit: auditInMemory(),
    feed: { sequence: 10, needs: () => {}, next: (_asked, signal) => never(signal) },
    endpoints: {
      run: (call) => {
        begun.resolve(call);
        return never(call.signal);
      },
    },
    alarm: () => ({ [Symbol.dispose]: () => {} }),
    redact: (text) => text,
    onChange: () => {},
    onFault: (error) => expect(error).toBeUndefined(),
  });
  service.start();
  const retried = problemOf(() => service.retry(ADMINISTRATOR, 'e1', ''));
  await begun.promise;
  await service[Symbol.asyncDispose]();
  expect(await retried).toMatchObject({ code: 'task_interrupted' });
  expect(new TriggerStore(graph.reader).find('e1')).toMatchObject({ attempts: 5 });
});
