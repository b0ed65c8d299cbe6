import { listEndpointLogs as operation } from '@trellis/contract/operations/endpoint-log.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listEndpointLogs = jsonRoute(operation, async ({ caller, query }, { endpointLogs }) =>
  answer(200, await endpointLogs.list(caller, query)),
);
