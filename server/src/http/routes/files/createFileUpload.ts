import { createFileUpload as operation } from '@trellis/contract/operations/files.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const createFileUpload = jsonRoute(
  operation,
  async ({ caller, params, body }, { nodeFiles }) =>
    answer(201, await nodeFiles.beginUpload(caller, params.uid, body)),
);
