import type { AccessIndex } from '#access/access-index.ts';
import type { AuditTrail } from '#access/audit-event.ts';
import { systemClock } from '#base/clock.ts';
import { FILE_UPLOAD_SWEEP_INTERVAL_MS } from '#base/limits.ts';
import { FileStore } from '#files/file-store.ts';
import { FileTexts } from '#files/file-texts.ts';
import { FileUploads } from '#files/file-uploads.ts';
import { NodeFiles } from '#files/node-files.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Logger } from '#observe/logger.ts';
import { startPeriodic } from './periodic.ts';

export interface FilesParts {
  readonly reader: GraphReader;
  readonly access: AccessIndex;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly logger: Logger;
  readonly isReplica: boolean;
}

export interface OpenFiles extends AsyncDisposable {
  readonly nodeFiles: NodeFiles;
  readonly fileUploads: FileUploads;
  readonly store: FileStore;
}

/** Puts together the files of nodes. A primary clears away what uploads have left that will not go on. */
export async function openFiles(parts: FilesParts): Promise<OpenFiles> {
  const { reader, commits, audit, access, logger } = parts;
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
  const uploads = new FileUploads({ reader, commits, store, files, clock: systemClock });
  if (!parts.isReplica) {
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
    store,
    nodeFiles: files,
    fileUploads: uploads,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
