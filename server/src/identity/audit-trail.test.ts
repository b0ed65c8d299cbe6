import { expect, test } from 'vitest';
import type { AuditEvent } from '#access/audit-event.ts';
import { openTestGraph } from '#graph/testing/test-graph.ts';
import { AuditService } from './audit-service.ts';
import { StoredAuditTrail } from './audit-trail.ts';

const ADMIN = { uid: '1'.repeat(22), name: 'admin' };

test('what strangers cause has a bound of its own, and all is listed newest first', async () => {
  await using graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  await using trail = new StoredAuditTrail({
    reader: graph.reader,
    commits: graph.writer,
    clock: graph.clock,
    logger: { error: (_fields, message) => expect.fail(message) },
    eventsMax: 4,
    strangerEventsMax: 3,
  });
  const write = async (event: AuditEvent): Promise<void> => {
    trail.record(event);
    await trail[Symbol.asyncDispose]();
    graph.clock.time += 1_000;
  };
  const failed = (i: number): AuditEvent => {
    const address = `10.0.0.${i}`;
    return { action: 'login.failed', actor: null, outcome: 'failure', address };
  };
  const changed = (name: string): AuditEvent => {
    const target = { kind: 'user', id: ADMIN.uid, name };
    return { action: 'user.changed', actor: ADMIN, target, outcome: 'success', address: null };
  };
  await write(changed('first'));
  for (let i = 0; i < 20; i++) await write(failed(i));
  await write(changed('second'));
  await write(failed(99));
  const service = new AuditService(graph.reader);
  const list = async (query: object) => {
    const found = await service.list(Object({ kind: 'session' }), { skip: 0, take: 50, ...query });
    return found.items.map(({ target, address }) => target?.name ?? address);
  };
  // One more than are kept: what is too much goes with the next event.
  const kept = ['10.0.0.99', 'second', '10.0.0.19', '10.0.0.18', '10.0.0.17', 'first'];
  expect(await list({})).toEqual(kept);
  expect(await list({ skip: 1, take: 3 })).toEqual(kept.slice(1, 4));
  expect(await list({ action: 'user' })).toEqual(['second', 'first']);
  for (let i = 0; i < 5; i++) await write(changed(`more ${i}`));
  expect(await list({ outcome: 'failure' })).toHaveLength(3);
  expect(await list({ outcome: 'success' })).toHaveLength(5);
});
