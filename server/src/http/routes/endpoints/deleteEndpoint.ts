import { deleteEndpoint as operation } from '@trellis/contract/operations/endpoints.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deleteEndpoint = jsonRoute(operation, async ({ caller, params }, { endpoints }) => {
  await endpoints.delete(caller, params.name);
  return answer(204);
});
