import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';
import { useConnectionState, useHasNewFrontEnd, useLastThereAt } from './live-connection.ts';

/** What concerns every page: the primary is away, or there is a newer front end. */
export function Banners() {
  const connection = useConnectionState();
  const lastThereAt = useLastThereAt();
  const hasNewFrontEnd = useHasNewFrontEnd();
  if (connection !== 'away' && !hasNewFrontEnd) return null;
  return (
    <div className="mb-4 flex flex-col gap-2">
      {connection === 'away' && (
        <Notice tone="warning">
          The primary does not answer. You can read what replicas serve; nothing can be changed
          until it is back.
          {lastThereAt !== undefined && (
            <>
              {' '}
              It was last there at <Time iso={lastThereAt} isExact />.
            </>
          )}
        </Notice>
      )}
      {hasNewFrontEnd && (
        <Notice tone="info">
          <span className="mr-3">There is a new version of this page.</span>
          <Button size="small" onClick={() => location.reload()}>
            Load it
          </Button>
        </Notice>
      )}
    </div>
  );
}
