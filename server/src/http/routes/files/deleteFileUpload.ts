import { deleteFileUpload as operation } from '@trellis/contract/operations/files.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deleteFileUpload = jsonRoute(operation, async ({ caller, params }, { nodeFiles }) => {
  await nodeFiles.deleteUpload(caller, params.id);
  return answer(204);
});
