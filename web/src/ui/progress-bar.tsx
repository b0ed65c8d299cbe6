import { Progress } from '@base-ui/react/progress';
import { formatProgress } from './format.ts';

interface ProgressBarProps {
  readonly label: string;
  /** 0 to 1. */
  readonly fraction: number;
}

export function ProgressBar({ label, fraction }: ProgressBarProps) {
  return (
    <Progress.Root value={fraction} min={0} max={1} className="flex flex-col gap-1">
      <div className="flex justify-between gap-3 text-[13px]">
        <Progress.Label className="min-w-0 truncate">{label}</Progress.Label>
        <span className="text-muted tabular-nums">{formatProgress(fraction)}</span>
      </div>
      <Progress.Track className="h-1.5 overflow-hidden rounded-full bg-sunken">
        <Progress.Indicator className="h-full rounded-full bg-accent transition-[width]" />
      </Progress.Track>
    </Progress.Root>
  );
}
