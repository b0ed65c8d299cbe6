import { useMutation, useQueryClient } from '@tanstack/react-query';
import { UPLOAD_BYTES_MAX, UPLOADS_MAX } from '@trellis/contract/limits.ts';
import type { UploadedFile } from '@trellis/contract/shapes/admin-agent.ts';
import { Paperclip } from 'lucide-react';
import { client } from '../../../api/client.ts';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { TextField } from '../../../ui/field.tsx';
import { formatBytes } from '../../../ui/format.ts';
import { toastDone } from '../../../ui/toast.ts';
import { sessionQuery } from './admin-agent-queries.ts';

interface SessionUploadsProps {
  readonly sessionId: string;
  readonly uploads: readonly UploadedFile[];
  readonly isAllowed: boolean;
}

/** Files that the agent may read in this session. */
export function SessionUploads({ sessionId, uploads, isAllowed }: SessionUploadsProps) {
  const queries = useQueryClient();
  const upload = useMutation({
    mutationFn: (file: File) => client.adminAgent.uploadFile(sessionId, file.name, file),
    onSuccess: (_, file) => {
      toastDone('The file is uploaded', file.name);
      return queries.invalidateQueries({ queryKey: sessionQuery(sessionId).queryKey });
    },
  });
  return (
    <Card title="Files" description="The agent reads them. They are deleted with the session.">
      <div className="flex flex-col gap-3">
        {uploads.length > 0 && (
          <ul aria-label="Files of the session" className="flex flex-col gap-1">
            {uploads.map(({ UID, name, Size, ContentType }) => (
              <li key={UID} className="flex items-center gap-2">
                <Paperclip className="size-4 shrink-0 text-muted" aria-hidden />
                <bdi className="min-w-0 wrap-anywhere">{name}</bdi>
                <span className="shrink-0 text-[13px] text-muted">
                  {formatBytes(Size)}, {ContentType}
                </span>
              </li>
            ))}
          </ul>
        )}
        {upload.isError && <ErrorPanel title="The file was not uploaded" error={upload.error} />}
        <TextField
          label="Add a file"
          hint={`At most ${formatBytes(UPLOAD_BYTES_MAX)}.`}
          type="file"
          disabled={!isAllowed || upload.isPending || uploads.length >= UPLOADS_MAX}
          onChange={({ target }) => {
            const file = target.files?.item(0);
            if (file !== null && file !== undefined) upload.mutate(file);
            target.value = '';
          }}
        />
      </div>
    </Card>
  );
}
