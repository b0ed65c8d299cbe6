import { getSchema as operation } from '@trellis/contract/operations/schema.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getSchema = jsonRoute(operation, async ({ caller }, { schema }) =>
  answer(200, await schema.get(caller)),
);
