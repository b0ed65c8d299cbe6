import { eachItem } from '@trellis/client/pages.ts';
import type { TrellisClient } from '@trellis/client/trellis-client.ts';

/** The files of nodes, of which the server takes the text, so that search finds it. */
export interface NodeFiles {
  /** Gives a node, by its UID, a file in the place of one with the same name. */
  replace(uid: string, name: string, content: Blob, signal?: AbortSignal): Promise<void>;
}

/** Over HTTP: the token needs the scopes `ingestion` and `read`. */
export function nodeFilesOf(client: TrellisClient): NodeFiles {
  return {
    async replace(uid, name, content, signal) {
      const options = { signal, forcePrimary: true };
      const before = eachItem((page) => client.files.list(uid, page, options));
      for await (const { Name, UID } of before) {
        if (Name !== name) continue;
        await client.files.delete(UID, { signal });
        break;
      }
      await client.files.uploadInPieces(uid, name, content, { signal });
    },
  };
}
