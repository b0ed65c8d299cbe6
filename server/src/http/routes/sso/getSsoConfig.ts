import { getSsoConfig as operation } from '@trellis/contract/operations/sso.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getSsoConfig = jsonRoute(operation, async ({ params }, { sso }) =>
  answer(200, await sso.getConfig(params.provider)),
);
