import { listNodeFiles as operation } from '@trellis/contract/operations/files.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listNodeFiles = jsonRoute(
  operation,
  async ({ caller, params, query }, { nodeFiles }) =>
    answer(200, await nodeFiles.list(caller, params.uid, query)),
);
