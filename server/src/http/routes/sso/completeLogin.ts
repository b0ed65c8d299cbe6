import { completeLogin as operation } from '@trellis/contract/operations/sso.ts';
import { arrivalAnswer, ssoRoute } from '../../sso-route.ts';

export const completeLogin = ssoRoute(operation, async ({ params, query, visitor }, { sso }) => {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((text): [string, string] => [name, String(text)]),
  );
  return arrivalAnswer(
    await sso.complete(params.provider, new URLSearchParams(parameters), visitor),
  );
});
