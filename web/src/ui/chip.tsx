import { X } from 'lucide-react';
import type { ReactNode } from 'react';

interface ChipProps {
  /** The whole text, which is read out. */
  readonly text: string;
  readonly icon?: ReactNode;
  /** Without one it stays. */
  readonly onRemove?: (() => void) | undefined;
}

/** One of a list of short texts or names. */
export function Chip({ text, icon, onRemove }: ChipProps) {
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-control bg-sunken py-0.5 pr-1 pl-2">
      {icon}
      <bdi className="min-w-0 break-words">{text}</bdi>
      {onRemove !== undefined && (
        <button
          type="button"
          aria-label={`Remove ${text}`}
          title={`Remove ${text}`}
          onClick={onRemove}
          className="rounded p-0.5 text-muted hover:bg-line hover:text-ink"
        >
          <X className="size-3.5" aria-hidden />
        </button>
      )}
    </span>
  );
}

interface ChipListProps {
  readonly label: string;
  readonly items: readonly { readonly key: string; readonly text: string }[];
  readonly icon?: ReactNode;
  readonly onRemove?: ((key: string) => void) | undefined;
}

/** Short texts or names, one beside the other. */
export function ChipList({ label, items, icon, onRemove }: ChipListProps) {
  if (items.length === 0) return null;
  return (
    <ul aria-label={label} className="flex flex-wrap gap-1.5">
      {items.map(({ key, text }) => (
        <li key={key} className="max-w-full">
          <Chip text={text} icon={icon} onRemove={onRemove && (() => onRemove(key))} />
        </li>
      ))}
    </ul>
  );
}
