import { type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';

interface CardProps {
  /** With one, the card is a region of that name. */
  readonly title?: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
  /** Whether the content reaches the border, as a table does. */
  readonly isFlush?: boolean;
  readonly children?: ReactNode;
}

export function Card({ title, description, actions, className, isFlush, children }: CardProps) {
  const titleId = useId();
  const hasHead = title !== undefined || actions !== undefined;
  return (
    <section
      aria-labelledby={title === undefined ? undefined : titleId}
      className={classNames('min-w-0 rounded-card border bg-surface', className)}
    >
      {hasHead && (
        <div className="flex flex-wrap items-center justify-between gap-2 px-4 pt-3 pb-2">
          <div>
            {title !== undefined && (
              <h2 id={titleId} className="font-semibold">
                {title}
              </h2>
            )}
            {description !== undefined && <p className="text-[13px] text-muted">{description}</p>}
          </div>
          {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
        </div>
      )}
      <div
        className={classNames(
          isFlush !== true && 'px-4 pb-4',
          !hasHead && isFlush !== true && 'pt-4',
        )}
      >
        {children}
      </div>
    </section>
  );
}
