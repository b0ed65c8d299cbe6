import type { AccessIndex } from '#access/access-index.ts';
import type { AuditTrail } from '#access/audit-event.ts';
import { systemClock } from '#base/clock.ts';
import { FILE_UPLOAD_SWEEP_INTERVAL_MS } from '#base/file-limits.ts';
import { FileStore } from '#files/file-store.ts';
import { FileTexts } from '#files/file-texts.ts';
import { FileUploads } from '#files/file-uploads.ts';
import { NodeFiles } from '#files/node-files.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { HttpServices } from '#http/services.ts';
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
  /** What HTTP offers of it. */
  readonly nodeFiles: HttpServices['nodeFiles'];
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
    nodeFiles: offered(files, uploads),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function offered(files: NodeFiles, uploads: FileUploads): HttpServices['nodeFiles'] {
  return {
    list: (caller, node, page) => files.list(caller, node, page),
    get: (caller, uid) => files.get(caller, uid),
    open: (caller, uid) => files.open(caller, uid),
    delete: (caller, uid, address) => files.delete(caller, uid, address),
    checkTarget: (caller, node) => files.checkTarget(caller, node),
    upload: (caller, node, file, address) => files.upload(caller, node, file, address),
    beginUpload: (caller, node, { contentType = '', ...upload }) =>
      uploads.create(caller, node, { ...upload, contentType }),
    getUpload: (caller, id) => uploads.get(caller, id),
    append: (sender, id, offset, bytes) => uploads.append(sender, id, offset, bytes),
    deleteUpload: (caller, id) => uploads.delete(caller, id),
  };
}
