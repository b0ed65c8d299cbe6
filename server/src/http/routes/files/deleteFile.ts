import { deleteFile as operation } from '@trellis/contract/operations/files.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deleteFile = jsonRoute(
  operation,
  async ({ caller, params, address }, { nodeFiles }) => {
    await nodeFiles.delete(caller, params.uid, address);
    return answer(204);
  },
);
