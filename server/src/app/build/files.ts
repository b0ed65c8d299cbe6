import type { AccessIndex } from '#access/access-index.ts';
import { FILE_UPLOAD_SWEEP_INTERVAL_MS } from '#base/limits.ts';
import { FileStore } from '#files/file-store.ts';
import { FileTexts } from '#files/file-texts.ts';
import { FileUploads } from '#files/file-uploads.ts';
import { NodeFiles } from '#files/node-files.ts';
import { startPeriodic } from '../periodic.ts';
import type { Foundation } from './foundation.ts';

export interface Files extends AsyncDisposable {
  readonly nodeFiles: NodeFiles;
  readonly fileUploads: FileUploads;
  readonly fileStore: FileStore;
}

/**
 * Puts together the files of nodes. A primary clears away what uploads have left that will not go
 * on.
 */
export async function buildFiles(
  { reader, commits, audit, logger, clock, isReplica }: Foundation,
  access: AccessIndex,
): Promise<Files> {
  await using opened = new AsyncDisposableStack();
  const store = new FileStore(reader, commits);
  const texts = opened.use(
    new FileTexts({
      reader,
      commits,
      onFault: (err) => logger.error({ err }, 'the text of a file could not be taken out of it'),
    }),
  );
  const files = new NodeFiles({
    reads: { reader, access },
    commits,
    store,
    audit,
    onUploaded: (uid) => texts.add(uid),
  });
  const uploads = new FileUploads({ reader, commits, store, files, clock });
  if (!isReplica) {
    await uploads.sweep();
    await store.sweep();
    texts.start();
    opened.use(
      startPeriodic(
        FILE_UPLOAD_SWEEP_INTERVAL_MS,
        () => uploads.sweep(),
        (err) => logger.warn({ err }, 'uploads that nobody goes on with could not be dropped'),
      ),
    );
  }
  const resources = opened.move();
  return {
    fileStore: store,
    nodeFiles: files,
    fileUploads: uploads,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
