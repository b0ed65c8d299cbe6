import { RotateCw, X } from 'lucide-react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { describeError } from '../../../ui/error-text.ts';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import type { FileUploads } from './use-file-uploads.ts';

/** How far uploads are; those that failed can be gone on with. */
export function FilesOnTheirWay({ uploads }: { readonly uploads: FileUploads }) {
  if (uploads.files.length === 0) return null;
  return (
    <ul aria-label="Uploads" className="mb-3 flex flex-col gap-2">
      {uploads.files.map((one) => {
        const { name } = one.file;
        return (
          <li key={one.key} className="flex items-center gap-2">
            <div className="min-w-0 flex-1">
              {one.error === undefined ? (
                <ProgressBar label={name} fraction={one.fraction} />
              ) : (
                <p role="alert" className="wrap-anywhere">
                  <bdi className="font-medium">{name}</bdi>: {describeError(one.error).message}
                </p>
              )}
            </div>
            {one.error !== undefined && one.id !== undefined && (
              <Button
                size="small"
                icon={RotateCw}
                aria-label={`Go on with ${name}`}
                onClick={() => uploads.retry(one)}
              >
                Go on
              </Button>
            )}
            <IconButton
              icon={X}
              size="small"
              label={`Cancel ${name}`}
              onClick={() => uploads.cancel(one)}
            />
          </li>
        );
      })}
    </ul>
  );
}
