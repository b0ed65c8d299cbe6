import { getFileUpload as operation } from '@trellis/contract/operations/files.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getFileUpload = jsonRoute(operation, async ({ caller, params }, { nodeFiles }) =>
  answer(200, await nodeFiles.getUpload(caller, params.id)),
);
