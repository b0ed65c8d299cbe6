import { getFile as operation } from '@trellis/contract/operations/files.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getFile = jsonRoute(operation, async ({ caller, params }, { nodeFiles }) =>
  answer(200, await nodeFiles.get(caller, params.uid)),
);
