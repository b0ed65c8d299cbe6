import { consumeSamlResponse as operation } from '@trellis/contract/operations/sso.ts';
import { arrivalAnswer, ssoRoute } from '../../sso-route.ts';

export const consumeSamlResponse = ssoRoute(
  operation,
  async ({ body, visitor }, { sso }) => arrivalAnswer(await sso.completeSaml(body, visitor)),
  'form',
);
