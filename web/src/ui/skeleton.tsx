import { classNames } from './class-names.ts';

/** In the place of what is being read; read out as one word. */
export function Skeleton({
  rows = 4,
  className,
}: {
  readonly rows?: number;
  readonly className?: string;
}) {
  return (
    <div
      role="status"
      aria-label="Loading"
      className={classNames('flex flex-col gap-3 p-4', className)}
    >
      {Array.from({ length: rows }, (_, row) => (
        <div
          key={row}
          className="h-4 animate-pulse rounded bg-sunken"
          style={{ width: `${95 - ((row * 17) % 45)}%` }}
        />
      ))}
    </div>
  );
}
