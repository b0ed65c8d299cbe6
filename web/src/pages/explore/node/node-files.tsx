import type { NodeFile } from '@trellis/contract/shapes/file.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FILE_BYTES_MAX } from '@trellis/contract/limits.ts';
import { Download, Paperclip, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { useViewer } from '../../../api/viewer.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { TextField } from '../../../ui/field.tsx';
import { formatBytes } from '../../../ui/format.ts';
import { Pager } from '../../../ui/pager.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { FilesOnTheirWay } from './files-on-their-way.tsx';
import { FILES_TAKE, filesKey, useFiles } from './file-queries.ts';
import { useFileDownload } from './use-file-download.ts';
import { useFileUploads } from './use-file-uploads.ts';

/**
 * The files of a node, and for those who may, adding to them: chosen, or dropped anywhere on the
 * card.
 */
export function NodeFiles({ uid }: { readonly uid: string }) {
  const [skip, setSkip] = useState(0);
  const [isDraggedOver, setDraggedOver] = useState(false);
  const [deleting, setDeleting] = useState<NodeFile>();
  const list = useFiles(uid, skip);
  const isAdmin = useViewer()?.seesAdministration === true;
  const { isAllowed, reason } = useChangePermission();
  const uploads = useFileUploads(uid);
  return (
    <div
      className={classNames('min-w-0 rounded-card', isDraggedOver && 'outline-2 outline-accent')}
      onDragOver={(event) => {
        if (!isAllowed || !event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setDraggedOver(true);
      }}
      onDragLeave={() => setDraggedOver(false)}
      onDrop={(event) => {
        setDraggedOver(false);
        if (!isAllowed) return;
        event.preventDefault();
        uploads.add([...event.dataTransfer.files]);
      }}
    >
      <Card title="Files">
        <QueryView query={list} errorTitle="The files could not be read">
          {({ items, total }) => (
            <>
              <FileList items={items} onDelete={isAllowed ? setDeleting : undefined} />
              <Pager
                skip={skip}
                take={FILES_TAKE}
                shown={items.length}
                total={total}
                onSkip={setSkip}
              />
            </>
          )}
        </QueryView>
        <FilesOnTheirWay uploads={uploads} />
        {isAdmin && (
          <TextField
            label="Add files"
            hint={reason ?? `Or drop them here. At most ${formatBytes(FILE_BYTES_MAX)} each.`}
            type="file"
            multiple
            disabled={!isAllowed}
            onChange={({ target }) => {
              uploads.add([...(target.files ?? [])]);
              target.value = '';
            }}
          />
        )}
      </Card>
      <DeleteDialog uid={uid} file={deleting} onClose={() => setDeleting(undefined)} />
    </div>
  );
}

interface FileListProps {
  readonly items: readonly NodeFile[];
  /** Undefined for those who may not. */
  readonly onDelete: ((file: NodeFile) => void) | undefined;
}

function FileList({ items, onDelete }: FileListProps) {
  const { start, current } = useFileDownload();
  if (items.length === 0) return <EmptyState icon={Paperclip} title="It has no files" />;
  return (
    <ul aria-label="Files of the node" className="mb-3 divide-y">
      {items.map((file) => (
        <li key={file.UID} className="flex items-center gap-2 py-1.5">
          <div className="min-w-0 flex-1">
            <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <bdi className="min-w-0 wrap-anywhere">{file.Name}</bdi>
              <TextStateBadge file={file} />
            </div>
            <p className="text-[13px] text-muted">
              {formatBytes(file.Size)}, <Time iso={file.Timestamp} />
            </p>
            {current?.uid === file.UID && (
              <ProgressBar
                label={`Downloading ${file.Name}`}
                fraction={file.Size > 0 ? Math.min(1, current.bytes / file.Size) : 1}
              />
            )}
          </div>
          <IconButton
            icon={Download}
            size="small"
            label={`Download ${file.Name}`}
            disabled={current !== undefined}
            onClick={() => start(file)}
          />
          {onDelete !== undefined && (
            <IconButton
              icon={Trash2}
              size="small"
              label={`Delete ${file.Name}`}
              onClick={() => onDelete(file)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

interface DeleteDialogProps {
  readonly uid: string;
  readonly file: NodeFile | undefined;
  readonly onClose: () => void;
}

function DeleteDialog({ uid, file, onClose }: DeleteDialogProps) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: ({ UID }: NodeFile) => client.files.delete(UID),
    onSuccess: (_, { Name }) => {
      toastDone('The file is deleted', Name);
      onClose();
      return queries.invalidateQueries({ queryKey: filesKey(uid) });
    },
    onError: (error) => toastError('The file was not deleted', error),
  });
  return (
    <ConfirmDialog
      isOpen={file !== undefined}
      onClose={onClose}
      title={`Delete ${file?.Name ?? 'the file'}?`}
      action="Delete"
      isBusy={remove.isPending}
      onConfirm={() => file !== undefined && remove.mutate(file)}
    >
      It is deleted for everybody, and searches no longer find it.
    </ConfirmDialog>
  );
}

/** Whether searches find a file by its text; nothing for a file without text. */
function TextStateBadge({ file }: { readonly file: NodeFile }) {
  const { TextState, TextError } = file;
  if (TextState === 'pending') return <Badge tone="info">Reading the text</Badge>;
  if (TextState === 'failed') {
    return (
      <>
        <Badge tone="warning">Text cannot be searched</Badge>
        <span className="text-[13px] text-muted">{TextError}</span>
      </>
    );
  }
  if (TextError !== null) return <span className="text-[13px] text-muted">{TextError}</span>;
  if (TextState === 'extracted') return <Badge tone="good">Text can be searched</Badge>;
  return null;
}
