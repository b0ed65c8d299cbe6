import { type ReactNode, useEffect } from 'react';

interface PageHeaderProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons, at the right. */
  readonly actions?: ReactNode;
}

/** The title of a page, which is that of the browser's tab too. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Trellis`;
  }, [title]);
  return (
    <header className="mb-5 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
      <div className="min-w-0">
        <h1 className="text-xl leading-tight font-semibold break-words">
          <bdi>{title}</bdi>
        </h1>
        {description !== undefined && <p className="mt-1 max-w-prose text-muted">{description}</p>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}
