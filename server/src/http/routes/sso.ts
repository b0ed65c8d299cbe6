import { operations } from '@trellis/contract/operations/sso.ts';
import { answer, routesOf } from '../route.ts';
import { arrivalAnswer, signInRoute } from '../sign-in-route.ts';

export const ssoRoutes = routesOf(operations, {
  getSsoConfig: async ({ params }, { sso }) => answer(200, await sso.getConfig(params.provider)),
  setSsoConfig: async ({ caller, address, params, body }, { sso }) =>
    answer(200, await sso.setConfig({ caller, address }, params.provider, body)),
  getLoginUrl: signInRoute(operations.getLoginUrl, async ({ params, query, visitor }, { sso }) => {
    const { url, browser } = await sso.begin(params.provider, query.returnTo ?? '/', visitor);
    return { answer: answer(200, { url }), browser };
  }),
  completeLogin: signInRoute(
    operations.completeLogin,
    async ({ params, query, visitor }, { sso }) => {
      const parameters = Object.entries(query).flatMap(([name, value]) =>
        [value].flat().map((text): [string, string] => [name, String(text)]),
      );
      return arrivalAnswer(
        await sso.complete(params.provider, new URLSearchParams(parameters), visitor),
      );
    },
  ),
  getSamlConfig: async (_input, { sso }) => answer(200, await sso.getSamlConfig()),
  setSamlConfig: async ({ caller, address, body }, { sso }) =>
    answer(200, await sso.setSamlConfig({ caller, address }, body)),
  createSamlRequest: signInRoute(
    operations.createSamlRequest,
    async ({ params, visitor }, { sso }) => {
      const { url, id, browser } = await sso.beginSaml(params, visitor);
      return { answer: answer(200, { url, id }), browser };
    },
  ),
  consumeSamlResponse: signInRoute(
    operations.consumeSamlResponse,
    async ({ body, visitor }, { sso }) => arrivalAnswer(await sso.completeSaml(body, visitor)),
    'form',
  ),
  getSamlMetadata: async (_input, { sso }) => answer(200, await sso.samlMetadata()),
  listLoginProviders: async (_input, { sso }) => answer(200, await sso.providers()),
  exchangeLogin: signInRoute(operations.exchangeLogin, async ({ body, visitor }, { sso }) => {
    const { session, marks } = await sso.exchange(body.code, visitor);
    return { answer: answer(200, session), marks };
  }),
});
