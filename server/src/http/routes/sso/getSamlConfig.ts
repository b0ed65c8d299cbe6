import { getSamlConfig as operation } from '@trellis/contract/operations/sso.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getSamlConfig = jsonRoute(operation, async (_input, { sso }) =>
  answer(200, await sso.getSamlConfig()),
);
