import { LIST_TAKE_MAX } from '@trellis/contract/limits.ts';
import { Button } from './button.tsx';

interface ShowMoreProps {
  /** As many as are asked for now. */
  readonly take: number;
  readonly total: number;
  readonly step: number;
  readonly onTake: (take: number) => void;
}

/**
 * Under a list that grows instead of being paged; nothing once all of it is there, or as much as
 * the server gives.
 */
export function ShowMore({ take, total, step, onTake }: ShowMoreProps) {
  if (take >= total || take >= LIST_TAKE_MAX) return null;
  return (
    <Button
      kind="quiet"
      size="small"
      className="mt-1 w-full"
      onClick={() => onTake(Math.min(LIST_TAKE_MAX, take + step))}
    >
      Show more
    </Button>
  );
}
