import { exchangeLogin as operation } from '@trellis/contract/operations/sso.ts';
import { answer } from '../../answer.ts';
import { ssoRoute } from '../../sso-route.ts';

export const exchangeLogin = ssoRoute(operation, async ({ body, visitor }, { sso }) => {
  const { session, marks } = await sso.exchange(body.code, visitor);
  return { answer: answer(200, session), marks };
});
