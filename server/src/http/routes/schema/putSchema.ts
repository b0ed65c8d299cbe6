import { putSchema as operation } from '@trellis/contract/operations/schema.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putSchema = jsonRoute(operation, async ({ caller, body }, { schema }) =>
  answer(200, await schema.put(caller, body)),
);
