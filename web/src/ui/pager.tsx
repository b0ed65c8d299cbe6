import { ChevronLeft, ChevronRight } from 'lucide-react';
import { formatCount } from './format.ts';
import { Button } from './button.tsx';

interface PagerProps {
  readonly skip: number;
  readonly take: number;
  /** How many rows this page has. */
  readonly shown: number;
  readonly total: number;
  readonly onSkip: (skip: number) => void;
}

/** Below a list that has more than one page. */
export function Pager({ skip, take, shown, total, onSkip }: PagerProps) {
  const hasMore = shown === take && skip + shown < total;
  if (skip === 0 && !hasMore) return null;
  const last = skip + shown;
  return (
    <nav
      aria-label="Pagination"
      className="flex items-center justify-between gap-3 border-t px-4 py-2"
    >
      <p className="text-[13px] text-muted">
        {shown === 0 ? 'Nothing here' : `${formatCount(skip + 1)} to ${formatCount(last)}`} of{' '}
        {formatCount(total)}
      </p>
      <div className="flex gap-2">
        <Button
          size="small"
          icon={ChevronLeft}
          disabled={skip === 0}
          onClick={() => onSkip(Math.max(0, skip - take))}
        >
          Previous
        </Button>
        <Button
          size="small"
          icon={ChevronRight}
          disabled={!hasMore}
          onClick={() => onSkip(skip + take)}
        >
          Next
        </Button>
      </div>
    </nav>
  );
}
