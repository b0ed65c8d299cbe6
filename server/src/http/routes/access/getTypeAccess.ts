import { getTypeAccess as operation } from '@trellis/contract/operations/access.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getTypeAccess = jsonRoute(operation, async ({ caller }, { access }) =>
  answer(200, await access.types(caller)),
);
