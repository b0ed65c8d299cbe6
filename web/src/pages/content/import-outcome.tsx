import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { formatCount } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { saveDownload } from '../../ui/save-download.ts';
import type { ImportProgress } from './import-run.ts';
import type { SkippedRows } from './import-skipped.ts';

/** How an import ended. */
export interface ImportEnd {
  readonly type: string;
  readonly progress: ImportProgress;
  readonly skipped: SkippedRows | undefined;
  readonly isCancelled: boolean;
  /** Why it ended before the end of the file. */
  readonly error?: unknown;
}

interface ImportOutcomeProps {
  readonly fileName: string;
  readonly end: ImportEnd;
}

/** What came, what did not, and where to see both. */
export function ImportOutcome({ fileName, end }: ImportOutcomeProps) {
  const { type, progress, skipped, isCancelled, error } = end;
  const rows = formatCount(progress.rows);
  const section = useRef<HTMLElement>(null);
  // It is below a long page, where nobody would look for it.
  useEffect(() => section.current?.focus(), []);
  const isWhole = error === undefined;
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-label="Outcome of the import"
      className="flex flex-col gap-3 outline-none"
    >
      {!isWhole && isCancelled && (
        <Notice tone="warning">
          Cancelled. {rows} rows are stored; importing the file again updates them.
        </Notice>
      )}
      {!isWhole && !isCancelled && (
        <ErrorPanel
          title={`The import stopped after ${rows} rows, which are stored`}
          error={error}
        />
      )}
      {isWhole && (
        <Notice tone="info">
          {rows} rows are stored. Nodes: {formatCount(progress.created)} new,{' '}
          {formatCount(progress.nodes - progress.created)} changed.{' '}
          {progress.edges > 0 && `Edges: ${formatCount(progress.edges)} new or changed. `}
          {progress.rows > 0 && (
            <>
              <Link to="/data/{-$type}" params={{ type }} className="underline">
                Show them as a table
              </Link>
              {' · '}
              <Link to="/" search={{ type: [type] }} className="underline">
                Search them
              </Link>
            </>
          )}
        </Notice>
      )}
      {skipped !== undefined && skipped.count > 0 && (
        <SkippedNotice fileName={fileName} skipped={skipped} />
      )}
    </section>
  );
}

interface SkippedNoticeProps {
  readonly fileName: string;
  readonly skipped: SkippedRows;
}

function SkippedNotice({ fileName, skipped }: SkippedNoticeProps) {
  const save = useMutation({
    mutationFn: () => {
      const file = new Blob([skipped.csv()], { type: 'text/csv' });
      return saveDownload(file.stream(), `${fileName.replace(/\.[^.]+$/, '')}-skipped.csv`);
    },
  });
  return (
    <Notice tone="warning">
      <p>
        {formatCount(skipped.count)} rows were skipped.
        {skipped.keptCount < skipped.count &&
          ` The file has the first ${formatCount(skipped.keptCount)} of them.`}
      </p>
      <div className="mt-2">
        <Button isBusy={save.isPending} onClick={() => save.mutate()}>
          Download the skipped rows
        </Button>
      </div>
    </Notice>
  );
}
