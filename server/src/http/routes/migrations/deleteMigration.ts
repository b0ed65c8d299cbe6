import { deleteMigration as operation } from '@trellis/contract/operations/migrations.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deleteMigration = jsonRoute(operation, async (input, { migrations }) => {
  const { caller, params, address } = input;
  await migrations.delete(caller, params.name, address);
  return answer(204);
});
