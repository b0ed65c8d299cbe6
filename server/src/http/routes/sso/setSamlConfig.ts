import { setSamlConfig as operation } from '@trellis/contract/operations/sso.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const setSamlConfig = jsonRoute(operation, async ({ caller, address, body }, { sso }) =>
  answer(200, await sso.setSamlConfig({ caller, address }, body)),
);
