import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { IconButton } from '../../ui/button.tsx';

interface PanelFrameProps {
  readonly title: string;
  readonly subtitle: string;
  readonly actions?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** At the right of the table, or over all of the page on a phone. Escape closes it. */
export function PanelFrame({ title, subtitle, actions, onClose, children }: PanelFrameProps) {
  const id = useId();
  const frame = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <section
      ref={frame}
      aria-labelledby={id}
      className="flex min-w-0 flex-col gap-4 rounded-card border bg-surface p-4 lg:sticky lg:top-16 lg:max-h-[calc(100dvh-5rem)] lg:w-md lg:shrink-0 lg:overflow-y-auto"
      onKeyDown={(event) => {
        // A dialog over it gets its own Escape, although React tells of it here too.
        const isInside =
          event.target instanceof Node && frame.current?.contains(event.target) === true;
        if (event.key === 'Escape' && isInside && !event.defaultPrevented) onClose();
      }}
    >
      <header className="flex flex-col gap-2">
        <div className="flex items-start justify-between gap-2">
          <div className="min-w-0">
            <h2
              id={id}
              ref={heading}
              tabIndex={-1}
              className="rounded-control text-base font-semibold wrap-anywhere"
            >
              <bdi>{title}</bdi>
            </h2>
            <p className="mt-1.5 text-[13px] wrap-anywhere text-muted">{subtitle}</p>
          </div>
          <IconButton icon={X} label="Close the record" size="small" onClick={onClose} />
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
