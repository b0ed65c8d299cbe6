import { deleteInterface as operation } from '@trellis/contract/operations/interfaces.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deleteInterface = jsonRoute(
  operation,
  async ({ caller, params, address }, { interfaces }) => {
    await interfaces.delete(caller, params.name, address);
    return answer(204);
  },
);
