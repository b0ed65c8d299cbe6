import { getHealth as operation } from '@trellis/contract/operations/status.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getHealth = jsonRoute(operation, async (_input, { status }) => {
  const body = await status.health();
  return answer(body.ready ? 200 : 503, body);
});
