import { listAudit as operation } from '@trellis/contract/operations/audit.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listAudit = jsonRoute(operation, async ({ caller, query }, { audit }) =>
  answer(200, await audit.list(caller, query)),
);
