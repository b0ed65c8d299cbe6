import type { AuditEvent, AuditTrail } from '../audit-event.ts';

/** Keeps the events that go into commits, and those that are recorded by themselves. */
export function auditInMemory(events: AuditEvent[] = []): AuditTrail {
  return {
    operation(event) {
      events.push(event);
      return { op: 'addOrUpdate', type: '_AuditEvent', fields: { Action: event.action } };
    },
    record: (event) => void events.push(event),
  };
}
