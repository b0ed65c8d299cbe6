import { createSamlRequest as operation } from '@trellis/contract/operations/sso.ts';
import { answer } from '../../answer.ts';
import { ssoRoute } from '../../sso-route.ts';

export const createSamlRequest = ssoRoute(operation, async ({ params, visitor }, { sso }) => {
  const { url, id, browser } = await sso.beginSaml(params, visitor);
  return { answer: answer(200, { url, id }), browser };
});
