import { CircleAlert, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

interface NoticeProps {
  readonly tone: 'info' | 'warning';
  readonly children: ReactNode;
}

/** What holds for the page, above it. */
export function Notice({ tone, children }: NoticeProps) {
  const Icon = tone === 'info' ? Info : CircleAlert;
  return (
    <div
      role="status"
      className={classNames(
        'flex items-start gap-2 rounded-card px-3 py-2',
        tone === 'info' ? 'bg-info-soft text-info' : 'bg-warning-soft text-warning',
      )}
    >
      <Icon className="mt-0.5 size-4 shrink-0" aria-hidden />
      <div className="min-w-0">{children}</div>
    </div>
  );
}
