import type { ReactNode } from 'react';

interface FigureTileProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}

/** One number of the overview. */
export function FigureTile({ name, value, note }: FigureTileProps) {
  return (
    <div className="rounded-card border bg-surface px-4 py-3">
      <dt className="text-[13px] text-muted">{name}</dt>
      <dd className="text-xl font-semibold tabular-nums">{value}</dd>
      {note !== undefined && <dd className="text-[13px] text-muted">{note}</dd>}
    </div>
  );
}
