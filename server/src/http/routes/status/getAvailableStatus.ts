import { getAvailableStatus as operation } from '@trellis/contract/operations/status.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getAvailableStatus = jsonRoute(operation, (_input, { status }) =>
  status.ready() ? answer(200, 'available') : answer(503, 'not available'),
);
