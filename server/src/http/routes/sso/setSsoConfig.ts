import { setSsoConfig as operation } from '@trellis/contract/operations/sso.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const setSsoConfig = jsonRoute(
  operation,
  async ({ caller, address, params, body }, { sso }) =>
    answer(200, await sso.setConfig({ caller, address }, params.provider, body)),
);
