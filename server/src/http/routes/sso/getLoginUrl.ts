import { getLoginUrl as operation } from '@trellis/contract/operations/sso.ts';
import { answer } from '../../answer.ts';
import { ssoRoute } from '../../sso-route.ts';

export const getLoginUrl = ssoRoute(operation, async ({ params, query, visitor }, { sso }) => {
  const { url, browser } = await sso.begin(params.provider, query.returnTo ?? '/', visitor);
  return { answer: answer(200, { url }), browser };
});
