import { exchangeLogin as operation } from '@trellis/contract/operations/sso.ts';
import { answer } from '../../answer.ts';
import { ssoRoute } from '../../sso-route.ts';

export const exchangeLogin = ssoRoute(operation, async ({ body, visitor }, { sso }) => ({
  answer: answer(200, await sso.exchange(body.code, visitor)),
}));
