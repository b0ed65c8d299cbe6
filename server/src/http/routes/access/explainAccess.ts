import { explainAccess as operation } from '@trellis/contract/operations/access.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const explainAccess = jsonRoute(operation, async ({ caller, query }, { access }) =>
  answer(200, await access.explain(caller, query.user, query.node)),
);
